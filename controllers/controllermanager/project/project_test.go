package project_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/project"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func dev(change ...func(*gardencorev1beta1.Project)) *gardencorev1beta1.Project {
	p := &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: "dev", UID: "uid-1"}}
	for _, f := range change {
		f(p)
	}
	return p
}

func namespace(labels, annotations map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden-dev", Labels: labels, Annotations: annotations}}
}

func TestNamespaceName(t *testing.T) {
	t.Run("GCM-2 the named one", func(t *testing.T) {
		if got := project.NamespaceName(dev(func(p *gardencorev1beta1.Project) { p.Spec.Namespace = ptr.To("garden-x") })); got != "garden-x" {
			t.Errorf("name = %q", got)
		}
	})
	t.Run("GCM-2 else one made of name and uid", func(t *testing.T) {
		const want = "garden-dev-4a49a" // sha256 of uid-1
		if got := project.NamespaceName(dev()); got != want {
			t.Errorf("name = %q, want %q", got, want)
		}
	})
}

func TestDesiredNamespace(t *testing.T) {
	meant := map[string]string{"gardener.cloud/role": "project", "project.gardener.cloud/name": "dev"}
	for name, tc := range map[string]struct {
		existing        *corev1.Namespace
		wantAnnotations map[string]string
		wantErr         bool
	}{
		"GCM-2 a new one is marked as created by us": {
			wantAnnotations: map[string]string{
				"namespace.gardener.cloud/project": "uid-1", "namespace.gardener.cloud/created-by-project-controller": "true",
			},
		},
		"GCM-3 one with both labels is adopted and kept later": {
			existing: namespace(meant, nil),
			wantAnnotations: map[string]string{
				"namespace.gardener.cloud/project": "uid-1", "namespace.gardener.cloud/keep-after-project-deletion": "true",
			},
		},
		"GCM-3 one without labels is refused": {existing: namespace(nil, nil), wantErr: true},
		"GCM-3 one labelled for another project is refused": {
			existing: namespace(map[string]string{"gardener.cloud/role": "project", "project.gardener.cloud/name": "other"}, nil), wantErr: true,
		},
		"GCM-3 one that belongs to another project is refused": {
			existing: namespace(meant, map[string]string{"namespace.gardener.cloud/project": "uid-2"}), wantErr: true,
		},
		"our own gets its labels back": {
			existing:        namespace(nil, map[string]string{"namespace.gardener.cloud/project": "uid-1"}),
			wantAnnotations: map[string]string{"namespace.gardener.cloud/project": "uid-1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := project.DesiredNamespace(dev(), tc.existing)
			if tc.wantErr {
				if err == nil {
					t.Fatalf("no error, but %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.wantAnnotations, got.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(meant, got.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			if len(got.OwnerReferences) != 1 || got.OwnerReferences[0].UID != "uid-1" {
				t.Errorf("owners = %v", got.OwnerReferences)
			}
		})
	}
	t.Run("one that is being deleted is refused", func(t *testing.T) {
		terminating := namespace(meant, nil)
		terminating.DeletionTimestamp = &metav1.Time{}
		if _, err := project.DesiredNamespace(dev(), terminating); err == nil {
			t.Error("no error")
		}
	})
}

func TestReleasedNamespace(t *testing.T) {
	adopted, err := project.DesiredNamespace(dev(), namespace(map[string]string{
		"gardener.cloud/role": "project", "project.gardener.cloud/name": "dev", "mine": "x",
	}, map[string]string{"mine": "y"}))
	if err != nil {
		t.Fatal(err)
	}
	if !project.Keep(adopted) {
		t.Error("GCM-8 an adopted namespace is not kept")
	}
	want := namespace(map[string]string{"mine": "x"}, map[string]string{"mine": "y"})
	if diff := cmp.Diff(want, project.ReleasedNamespace(adopted, dev())); diff != "" {
		t.Errorf("GCM-8 released namespace (-want +got):\n%s", diff)
	}
}

func user(name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
}

func TestRoles(t *testing.T) {
	p := dev(func(p *gardencorev1beta1.Project) {
		p.Spec.Owner = ptr.To(user("olga"))
		p.Spec.Members = []gardencorev1beta1.ProjectMember{
			{Subject: user("olga"), Role: "admin", Roles: []string{"owner"}},
			{Subject: user("victor"), Role: "viewer", Roles: []string{"uam", "extension:monitor"}},
			{Subject: user("anna"), Role: "admin", Roles: []string{"serviceaccountmanager", "viewer"}},
		}
	})
	subjects := map[string][]string{}
	rules := map[string][]string{}
	for _, object := range project.Roles(p, "garden-dev") {
		if len(object.GetOwnerReferences()) != 1 {
			t.Errorf("%s has no owner", object.GetName())
		}
		switch object := object.(type) {
		case *rbacv1.ClusterRole:
			for _, rule := range object.Rules {
				for _, resource := range rule.Resources {
					for _, name := range rule.ResourceNames {
						rules[object.Name] = append(rules[object.Name], resource+" "+name)
					}
				}
				rules[object.Name] = append(rules[object.Name], rule.Verbs...)
			}
		case *rbacv1.ClusterRoleBinding:
			subjects[object.Name] = names(object.Subjects)
		case *rbacv1.RoleBinding:
			subjects[object.Namespace+"/"+object.Name] = names(object.Subjects)
		}
	}
	wantSubjects := map[string][]string{
		"gardener.cloud:system:project:dev":                              {"olga"},
		"gardener.cloud:system:project-member:dev":                       {"olga", "anna"},
		"gardener.cloud:system:project-uam:dev":                          {"victor"},
		"gardener.cloud:system:project-viewer:dev":                       {"victor", "anna"},
		"garden-dev/gardener.cloud:system:project-member":                {"olga", "anna"},
		"garden-dev/gardener.cloud:system:project-viewer":                {"victor", "anna"},
		"garden-dev/gardener.cloud:system:project-serviceaccountmanager": {"olga", "anna"},
		"garden-dev/gardener.cloud:extension:project:dev:monitor":        {"victor"},
	}
	if diff := cmp.Diff(wantSubjects, subjects); diff != "" {
		t.Errorf("GCM-4 subjects (-want +got):\n%s", diff)
	}
	wantRules := map[string][]string{
		"gardener.cloud:system:project:dev":        {"namespaces garden-dev", "get", "projects dev", "get", "patch", "update", "delete", "manage-members"},
		"gardener.cloud:system:project-member:dev": {"namespaces garden-dev", "get", "projects dev", "get", "patch", "update", "delete"},
		"gardener.cloud:system:project-uam:dev":    {"projects dev", "get", "patch", "update", "manage-members"},
		"gardener.cloud:system:project-viewer:dev": {"namespaces garden-dev", "get", "projects dev", "get"},
	}
	if diff := cmp.Diff(wantRules, rules); diff != "" {
		t.Errorf("GCM-4 rules (-want +got):\n%s", diff)
	}
}

func names(subjects []rbacv1.Subject) []string {
	var result []string
	for _, subject := range subjects {
		result = append(result, subject.Name)
	}
	return slices.Clip(result)
}
