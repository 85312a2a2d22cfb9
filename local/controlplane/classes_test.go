package controlplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClasses(t *testing.T) {
	got, err := classes([]byte("kind: Namespace\nmetadata: {name: n}\n---\nkind: StorageClass\nmetadata: {name: standard}\n---\n# nothing\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"standard"}, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if _, err := classes([]byte("{")); err == nil {
		t.Error("no YAML is accepted")
	}
}
