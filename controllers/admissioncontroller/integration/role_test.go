package integration

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
)

// An admission controller outside of the daemon has this role only. It is not ready before it watches all kinds of the graph.
func TestRoleOfTheAdmissionController(t *testing.T) {
	role := &rbacv1.ClusterRole{}
	if err := admin.Get(t.Context(), client.ObjectKey{Name: "gardener.cloud:system:admission-controller"}, role); err != nil {
		t.Fatal(err)
	}
	for _, kind := range dependency.Kinds() {
		gvk, err := admin.GroupVersionKindFor(kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("GAC-8 the admission controller watches kind "+gvk.Kind, func(t *testing.T) {
			resource, _ := apimeta.UnsafeGuessKindToResource(gvk)
			for _, verb := range []string{"get", "list", "watch"} {
				if !slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
					return slices.Contains(rule.APIGroups, gvk.Group) && slices.Contains(rule.Resources, resource.Resource) && slices.Contains(rule.Verbs, verb)
				}) {
					t.Errorf("it may not %s %s", verb, resource.GroupResource())
				}
			}
		})
	}
}
