package landscape

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestObjects(t *testing.T) {
	objects, err := Objects(Values{InternalDomain: "internal.example.org", ExternalDomain: "external.example.org", KubernetesVersions: []string{"1.36.3", "1.35.0"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range objects {
		got = append(got, object.GetKind()+" "+object.GetName())
	}
	want := []string{
		"Namespace garden", "Namespace gardener-system-seed-lease", "Namespace garden-local",
		"Secret internal-domain", "Secret default-domain", "Secret backup-local", "CloudProfile local", "Project local",
		"Secret local", "SecretBinding local", "CredentialsBinding local",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func TestAddVersions(t *testing.T) {
	profile := func(versions ...any) *unstructured.Unstructured {
		var list []any
		for _, v := range versions {
			list = append(list, map[string]any{"version": v})
		}
		u := &unstructured.Unstructured{Object: map[string]any{}}
		if err := unstructured.SetNestedSlice(u.Object, list, "spec", "kubernetes", "versions"); err != nil {
			t.Fatal(err)
		}
		return u
	}
	present := profile("1.35.0", "1.30.1")
	if !addVersions(present, profile("1.36.3", "1.35.0")) {
		t.Fatal("a new version was not noticed")
	}
	if diff := cmp.Diff(profile("1.36.3", "1.35.0", "1.30.1").Object, present.Object); diff != "" {
		t.Errorf("new versions come first, others stay (-want +got):\n%s", diff)
	}
	if addVersions(present, profile("1.35.0")) {
		t.Error("nothing was missing")
	}
}
