package names

import (
	"context"
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// claims are the names that a seed routes, with the namespaces of the API servers.
type claims map[string]string

func (claims) Run(context.Context) error { return nil }

func (c claims) Route(name string) (frontdoor.Destination, bool) {
	namespace, ok := c[name]
	return frontdoor.Destination{Host: "kube-apiserver." + namespace + ".svc.cluster.local"}, ok
}

func TestSeed(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := gardencorev1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	project := func(name string) *gardencorev1beta1.Project {
		return &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: gardencorev1beta1.ProjectSpec{Namespace: ptr.To("garden-" + name)}}
	}
	shoot := func(project, name, domain, seed, old string) *gardencorev1beta1.Shoot {
		return &gardencorev1beta1.Shoot{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden-" + project, Name: name},
			Spec:       gardencorev1beta1.ShootSpec{SeedName: &seed, DNS: &gardencorev1beta1.DNS{Domain: &domain}},
			Status:     gardencorev1beta1.ShootStatus{SeedName: &old},
		}
	}
	garden := Garden{Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(project("sky"), project("thieves"),
		shoot("sky", "sun", "sun.example.org", "honest", "honest"), shoot("thieves", "thief", "thief.example.org", "evil", "evil"),
		shoot("sky", "moon", "moon.example.org", "new", "honest"),
	).Build()}
	seeds := map[string]frontdoor.RouteSource{
		"evil": claims{
			"api.sun.example.org":       "shoot--thieves--thief",
			"api.sun.sky.internal.test": "shoot--sky--sun",
			"api.thief.example.org":     "shoot--thieves--thief",
			"api.virtual-garden.test":   "shoot--thieves--thief",
			"api.nobody.example.org":    "shoot--sky--nobody",
			"api.sunday.example.org":    "garden",
		},
		"honest": claims{"api.sun.example.org": "shoot--sky--sun", "api.sun.sky.internal.test": "shoot--sky--sun", "api.moon.example.org": "shoot--sky--moon"},
		"new":    claims{"api.moon.example.org": "shoot--sky--moon"},
	}
	for name, tc := range map[string]struct{ name, want string }{
		"a name leads to the seed of its shoot, whoever else claims it": {"api.sun.example.org", "honest"},
		"the same holds for internal names":                             {"api.sun.sky.internal.test", "honest"},
		"a seed has the names of its own shoots":                        {"api.thief.example.org", "evil"},
		"a seed has no name of the garden":                              {"api.virtual-garden.test", ""},
		"a name of no shoot leads nowhere":                              {"api.nobody.example.org", ""},
		"a name of no namespace of shoots leads nowhere":                {"api.sunday.example.org", ""},
		"a shoot that moves is at its new seed":                         {"api.moon.example.org", "new"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 { // the order of a map differs
				if got := garden.Seed(tc.name, maps.All(seeds)); got != tc.want {
					t.Fatalf("leads to %q, want %q", got, tc.want)
				}
			}
		})
	}
}
