package shootsystem

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mayRead reports whether the role of viewers allows to list a resource.
func mayRead(objects []client.Object, group, resource string) bool {
	for _, object := range objects {
		role, is := object.(*rbacv1.ClusterRole)
		if is && role.Name == roleReadOnly {
			return slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
				return slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource) && slices.Contains(rule.Verbs, "list")
			})
		}
	}
	return false
}

func TestReadOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		encrypted       []string
		group, resource string
		want            bool
	}{
		"AKC-1 nodes":       {nil, "", "nodes", true},
		"AKC-1 deployments": {nil, "apps", "deployments", true},
		"AKC-1 no Secrets, whatever is encrypted":                {nil, "", "secrets", false},
		"AKC-1 no encrypted resource":                            {[]string{"secrets", "configmaps"}, "", "configmaps", false},
		"AKC-1 others of its group":                              {[]string{"secrets", "configmaps"}, "", "pods", true},
		"AKC-1 no encrypted resource with a group":               {[]string{"deployments.apps"}, "apps", "deployments", false},
		"AKC-1 a resource of this name in another group":         {[]string{"events.events.k8s.io"}, "", "events", true},
		"AKC-1 nothing of a group that is encrypted as a whole":  {[]string{"*.apps"}, "apps", "statefulsets", false},
		"AKC-1 nothing of the core that is encrypted as a whole": {[]string{"*."}, "", "pods", false},
		"AKC-1 nothing if everything is encrypted":               {[]string{"*.*"}, "batch", "jobs", false},
		"AKC-1 no way into pods":                                 {nil, "", "pods/exec", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mayRead(System(Info{Encrypted: tc.encrypted}), tc.group, tc.resource); got != tc.want {
				t.Errorf("viewers may read %q of %q: %v, want %v", tc.resource, tc.group, got, tc.want)
			}
		})
	}
}

func TestView(t *testing.T) {
	for name, tc := range map[string]struct {
		encrypted []string
		want      bool
	}{
		"AKC-1 viewers have the role of Kubernetes":                                    {[]string{"secrets"}, true},
		"AKC-1 viewers do not have it where it would show more than may be read there": {[]string{"secrets", "configmaps"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := slices.ContainsFunc(System(Info{Encrypted: tc.encrypted}), func(object client.Object) bool {
				of, is := object.(*rbacv1.ClusterRoleBinding)
				return is && of.RoleRef.Name == roleView
			})
			if got != tc.want {
				t.Errorf("bound to the role view: %v, want %v", got, tc.want)
			}
		})
	}
}
