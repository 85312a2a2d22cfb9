package appliance

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	objects "github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/managers"
	"github.com/gardener-up/gardener-up/appliance/seeds"
	"github.com/gardener-up/gardener-up/appliance/servers"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local"
)

// firstObjectsName is the name of the part that writes the objects which everybody needs to start.
const firstObjectsName = "landscape"

// firstObjects writes those objects into the garden.
func firstObjects(cfg *config.Landscape, garden func() (client.Client, error)) component.Part {
	return component.Part{After: []string{servers.GardenerAPI}, Title: managers.Title, Component: component.NewStep(firstObjectsName, func(ctx context.Context) error {
		c, err := garden()
		if err != nil {
			return err
		}
		all, err := objects.Objects(objects.Values{
			InternalDomain: cfg.InternalDomain(), ExternalDomain: cfg.ExternalDomain(), KubernetesVersions: kubernetesVersions(),
		})
		if err != nil {
			return err
		}
		if err := objects.Apply(ctx, c, all); err != nil {
			return err
		}
		return objects.Register(ctx, c, local.Registrations())
	}, nil)}
}

// emulatedMinors is how many minor versions before its own a kube-apiserver can emulate.
const emulatedMinors = 3

// kubernetesVersions are those this binary serves: its own and, by emulation, the minors before it.
func kubernetesVersions() []string {
	own := strings.TrimPrefix(version.Get().GitVersion, "v")
	versions := []string{own}
	var major, minor int
	if _, err := fmt.Sscanf(own, "%d.%d", &major, &minor); err == nil {
		for n := 1; n <= emulatedMinors; n++ {
			versions = append(versions, fmt.Sprintf("%d.%d.0", major, minor-n))
		}
	}
	return versions
}

// seedGate is ready when the gardenlet says so of its seed.
func seedGate(name string, garden func() (client.Client, error), after []string) component.Part {
	return component.Part{After: after, Title: "seed " + name, Component: component.NewStep("seed", nil, func(ctx context.Context) error {
		c, err := garden()
		if err != nil {
			return err
		}
		object := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := c.Get(ctx, types.NamespacedName{Name: name}, object); err != nil {
			return fmt.Errorf("read seed %q: %w", name, err)
		}
		return seeds.Ready(object)
	})}
}
