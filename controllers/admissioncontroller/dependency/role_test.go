package dependency_test

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/dependency"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/rbac"
)

// An admission controller outside of the daemon has this role only. It is not ready before it watches all kinds of the graph.
func TestRoleOfTheAdmissionController(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	var rules []rbacv1.PolicyRule
	for _, object := range rbac.Objects() {
		if role, ok := object.Object.(*rbacv1.ClusterRole); ok && role.Name == "gardener.cloud:system:admission-controller" {
			rules = role.Rules
		}
	}
	for _, kind := range dependency.Kinds() {
		gvk, err := apiutil.GVKForObject(kind, scheme)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("GAC-8 the admission controller watches kind "+gvk.Kind, func(t *testing.T) {
			resource, _ := apimeta.UnsafeGuessKindToResource(gvk)
			for _, verb := range []string{"get", "list", "watch"} {
				if !slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
					return slices.Contains(rule.APIGroups, gvk.Group) && slices.Contains(rule.Resources, resource.Resource) && slices.Contains(rule.Verbs, verb)
				}) {
					t.Errorf("it may not %s %s", verb, resource.GroupResource())
				}
			}
		})
	}
}
