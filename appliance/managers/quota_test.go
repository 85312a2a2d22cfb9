package managers

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/rbac"
)

func TestDefaultQuotas(t *testing.T) {
	for name, tc := range map[string]struct {
		configuration string
		quotas        int
		shoots        int64
	}{
		"a landscape without configuration limits projects": {`{}`, 1, 500},
		"other settings keep the limits":                    {`{"controllers":{"project":{"minimumLifetimeDays":1}}}`, 1, 500},
		"an empty list sets no limits":                      {`{"controllers":{"project":{"quotas":[]}}}`, 0, 0},
		"own limits replace all of them":                    {`{"controllers":{"project":{"quotas":[{"config":{"spec":{"hard":{"count/shoots.core.gardener.cloud":"5"}}}}]}}}`, 1, 5},
	} {
		t.Run("GCM-5 "+name, func(t *testing.T) {
			r := gardenRoles{GardenInputs{ControllerManager: []byte(tc.configuration)}}
			got, err := r.controllerManagerConfiguration()
			if err != nil {
				t.Fatal(err)
			}
			quotas := got.Controllers.Project.Quotas
			if len(quotas) != tc.quotas {
				t.Fatalf("quotas: %+v", quotas)
			}
			if tc.quotas == 0 {
				return
			}
			shoots := quotas[0].Config.Spec.Hard[corev1.ResourceName("count/shoots.core.gardener.cloud")]
			if shoots.Value() != tc.shoots {
				t.Errorf("shoots: %s", shoots.String())
			}
		})
	}
}

// TestMembersFillNoEtcd holds the default limits against what the roles of projects allow to create.
func TestMembersFillNoEtcd(t *testing.T) {
	kinds := 0
	for _, object := range rbac.Objects() {
		role, ok := object.Object.(*rbacv1.ClusterRole)
		if !ok || role.Labels[constants.LabelAggregateToProjectMember] == "" && role.Labels[constants.LabelAggregateToProjectServiceAccountManager] == "" {
			continue
		}
		for _, rule := range role.Rules {
			for _, kind := range created(rule) {
				kinds++
				if limit := projectObjects[kind]; limit == 0 {
					t.Errorf("GCM-5 %s lets members create %s without a limit", role.Name, kind)
				}
			}
		}
	}
	if kinds == 0 {
		t.Error("no role of members creates anything")
	}
}

// created are the resources that a rule lets users create, as quotas name them. Subresources are not stored.
func created(rule rbacv1.PolicyRule) []string {
	if !slices.Contains(rule.Verbs, "create") && !slices.Contains(rule.Verbs, rbacv1.VerbAll) {
		return nil
	}
	var out []string
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			if !strings.Contains(resource, "/") {
				out = append(out, strings.TrimSuffix(resource+"."+group, "."))
			}
		}
	}
	return out
}
