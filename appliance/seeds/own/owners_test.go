package own

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestKeepsOwners(t *testing.T) {
	for name, tc := range map[string]struct {
		annotations map[string]string
		want        string
	}{
		"MIG-15 the Seed of a kind cluster says again that it keeps its owners": {want: "true"},
		"MIG-15 what an operator says of a kind cluster stays":                  {annotations: map[string]string{helper.AnnotationKeepsOwners: "false"}, want: "false"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, store.Seed{Name: "local", NodeImage: "image"}, &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "local", Annotations: tc.annotations}})
			if err := (&owners{seed: "local"}).say(t.Context(), w.garden); err != nil {
				t.Fatal(err)
			}
			if got := w.seed(t).Annotations[helper.AnnotationKeepsOwners]; got != tc.want {
				t.Errorf("annotation %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("MIG-15 a Seed that does not exist yet is left to the registration", func(t *testing.T) {
		if err := (&owners{seed: "local"}).say(t.Context(), newWorld(t, store.Seed{Name: "local", NodeImage: "image"}).garden); err != nil {
			t.Error(err)
		}
	})
}

// TestOwnersPart is about a cluster that does not start: its etcds may run all the same.
func TestOwnersPart(t *testing.T) {
	for name, tc := range map[string]struct {
		image string // of nodes on kind
		want  bool
	}{
		"MIG-15 a kind seed says that it keeps its owners before its cluster runs": {image: "image", want: true},
		"MIG-15 an embedded seed does not say it":                                  {},
	} {
		t.Run(name, func(t *testing.T) {
			noted := store.Seed{Name: "local", NodeImage: tc.image}
			files, err := paths.New(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			record := newWorld(t, noted).registration.record
			s := &ownSeed{name: noted.Name, noted: noted, record: record, in: Inputs{Store: record.store, Ports: state.Ports{}, Paths: files}}
			parts, err := s.parts()
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(parts, func(p component.Part) bool { return p.Name() == OwnersPart(noted.Name) })
			if found := at >= 0; found != tc.want {
				t.Fatalf("the part is there: %t, want %t", found, tc.want)
			}
			if tc.want && (len(parts[at].After) > 0 || !parts[at].Restart) {
				t.Errorf("the part waits for %v; it starts again: %t", parts[at].After, parts[at].Restart)
			}
		})
	}
}
