package rbac

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

func TestRoles(t *testing.T) {
	roles := map[string]*rbacv1.ClusterRole{}
	for _, object := range Objects() {
		if role, ok := object.Object.(*rbacv1.ClusterRole); ok {
			if roles[role.Name] != nil {
				t.Errorf("%s is there twice", role.Name)
			}
			roles[role.Name] = role
		}
	}
	may := func(role, group, resource, verb string) bool {
		return slices.ContainsFunc(roles[role].Rules, func(r rbacv1.PolicyRule) bool {
			has := func(list []string, one string) bool { return slices.Contains(list, one) || slices.Contains(list, "*") }
			return has(r.APIGroups, group) && has(r.Resources, resource) && has(r.Verbs, verb)
		})
	}
	const gardener = "core.gardener.cloud"
	for _, tc := range []struct {
		name, role, group, resource, verb string
		want                              bool
	}{
		{"API-6 everybody reads profiles", "gardener.cloud:system:read-global-resources", gardener, "cloudprofiles", "get", true},
		{"API-6 nobody but operators changes them", "gardener.cloud:system:project-member-aggregation", gardener, "cloudprofiles", "update", false},
		{"API-12 members create shoots", "gardener.cloud:system:project-member-aggregation", gardener, "shoots", "create", true},
		{"API-12 viewers read shoots", "gardener.cloud:system:project-viewer-aggregation", gardener, "shoots", "list", true},
		{"API-12 viewers create none", "gardener.cloud:system:project-viewer-aggregation", gardener, "shoots", "create", false},
		{"BST-2 members order bastions", "gardener.cloud:system:project-member-aggregation", "operations.gardener.cloud", "bastions", "create", true},
		{"BST-2 members change bastions", "gardener.cloud:system:project-member-aggregation", "operations.gardener.cloud", "bastions", "update", true},
		{"BST-2 viewers read bastions", "gardener.cloud:system:project-viewer-aggregation", "operations.gardener.cloud", "bastions", "get", true},
		{"BST-2 viewers order none", "gardener.cloud:system:project-viewer-aggregation", "operations.gardener.cloud", "bastions", "create", false},
		{"GCM-30 new gardenlets ask for certificates", "gardener.cloud:system:seed-bootstrapper", "certificates.k8s.io", "certificatesigningrequests", "create", true},
		{"GCM-30 and have them approved", "gardener.cloud:system:seed-bootstrapper", "certificates.k8s.io", "certificatesigningrequests/seedclient", "create", true},
		{"GCM-30 and may do nothing else", "gardener.cloud:system:seed-bootstrapper", gardener, "seeds", "get", false},
		{"API-34 viewers read no shoot states", "gardener.cloud:system:project-viewer-aggregation", gardener, "shootstates", "get", false},
		{"API-34 members read none either", "gardener.cloud:system:project-member-aggregation", gardener, "shootstates", "get", false},
		{"AKC-8 members get kubeconfigs", "gardener.cloud:system:project-member-aggregation", gardener, "shoots/adminkubeconfig", "create", true},
		{"AKC-8 viewers do not", "gardener.cloud:system:project-viewer-aggregation", gardener, "shoots/adminkubeconfig", "create", false},
		{"viewers of the landscape read no internal secrets", "gardener.cloud:viewer", gardener, "internalsecrets", "get", false},
		{"GAC-8 the admission controller watches what belongs to seeds", "gardener.cloud:system:admission-controller", gardener, "backupentries", "watch", true},
		{"the admission controller changes no shoots", "gardener.cloud:system:admission-controller", gardener, "shoots", "update", false},
		{"the scheduler binds", "gardener.cloud:system:scheduler", gardener, "shoots/binding", "update", true},
		{"GAC-8 roles allow gardenlets nothing", "gardener.cloud:system:seeds", gardener, "seeds", "get", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := may(tc.role, tc.group, tc.resource, tc.verb); got != tc.want {
				t.Errorf("%s may %s %s: %t", tc.role, tc.verb, tc.resource, got)
			}
		})
	}
}

func TestBootstrapperIsBound(t *testing.T) {
	for _, object := range Objects() {
		binding, ok := object.Object.(*rbacv1.ClusterRoleBinding)
		if !ok || binding.RoleRef.Name != "gardener.cloud:system:seed-bootstrapper" {
			continue
		}
		if want := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:bootstrappers"}}; !slices.Equal(binding.Subjects, want) {
			t.Errorf("GCM-30 bound to %+v", binding.Subjects)
		}
		return
	}
	t.Error("GCM-30 nobody is bound to the role of new gardenlets")
}
