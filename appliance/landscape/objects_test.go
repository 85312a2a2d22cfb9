package landscape

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
	t.Run("GCM-3 a Project garden can adopt the namespace garden", func(t *testing.T) {
		labels := map[string]string{"gardener.cloud/role": "project", "project.gardener.cloud/name": "garden"}
		if diff := cmp.Diff(labels, objects[0].GetLabels()); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
	})
}
