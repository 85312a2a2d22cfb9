package names

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

var errBoom = errors.New("boom")

// TestZoneOfSeeds lets two seeds publish the same record.
func TestZoneOfSeeds(t *testing.T) {
	const name = "api.sun.sky.internal"
	sun := client.ObjectKey{Namespace: "shoot--sky--sun", Name: "sun-internal"}
	ingress := client.ObjectKey{Namespace: "garden", Name: "seed-ingress"}
	on := func(seed string) client.Object {
		return &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun"}, Spec: gardencorev1beta1.ShootSpec{SeedName: &seed}}
	}
	seed := func(name string) client.Object {
		return &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	project := &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: "sky"}, Spec: gardencorev1beta1.ProjectSpec{Namespace: ptr.To("garden-sky")}}
	for title, tc := range map[string]struct {
		by     client.ObjectKey
		garden []client.Object
		broken bool // the garden does not answer
		taken  bool // the name, by the other seed
	}{
		"MIG-27 a shoot takes its names along":                                   {by: sun, garden: []client.Object{project, on("next")}, taken: true},
		"MIG-27 a shoot that is on the first seed keeps its names there":         {by: sun, garden: []client.Object{project, on("first")}},
		"MIG-27 a shoot on a third seed":                                         {by: sun, garden: []client.Object{project, on("third")}},
		"MIG-27 nothing is taken while the garden does not answer":               {by: sun, broken: true},
		"MIG-27 a seed keeps the names of a shoot that the garden does not know": {by: sun, garden: []client.Object{project, seed("first")}},
		"MIG-27 names of a shoot and a seed that are gone are free":              {by: sun, garden: []client.Object{project}, taken: true},
		"MIG-27 the names of a seed are its own":                                 {by: ingress, garden: []client.Object{seed("first")}},
		"MIG-27 the names of a seed that is gone are free":                       {by: ingress, taken: true},
	} {
		t.Run(title, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.garden...).Build()
			records, err := dns.OpenZone(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			zone := Zone{Zone: records, Garden: func() (client.Client, error) {
				if tc.broken {
					return nil, errBoom
				}
				return garden, nil
			}}
			first, next := zone.Of("first"), zone.Of("next")
			if err := first.Put(t.Context(), tc.by, name, "A", []string{"127.0.0.1"}, 60); err != nil {
				t.Fatal(err)
			}
			err = next.Put(t.Context(), tc.by, name, "A", []string{"127.0.0.2"}, 60)
			if (err == nil) != tc.taken || tc.broken != errors.Is(err, errBoom) {
				t.Fatalf("the other seed publishes: %v, want success: %t", err, tc.taken)
			}
			winner, loser, want := first, next, "127.0.0.1"
			if tc.taken {
				winner, loser, want = next, first, "127.0.0.2"
				var held *dns.HeldError
				if len(tc.garden) == 2 { // else both are gone, and the names are free again
					if err := first.Put(t.Context(), tc.by, name, "A", []string{"127.0.0.1"}, 60); !errors.As(err, &held) {
						t.Errorf("the first seed publishes again: %v", err)
					}
				}
			}
			if err := loser.Delete(tc.by, name, "A"); err != nil {
				t.Errorf("deletion by the other seed is an error: %v", err)
			}
			if diff := cmp.Diff([]string{want}, records.Get(name, "A")); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if err := winner.Delete(tc.by, name, "A"); err != nil || len(records.Get(name, "A")) > 0 {
				t.Errorf("the seed that has the name cannot delete it: %v, %v", records.Get(name, "A"), err)
			}
		})
	}
}
