package seeds

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// GateName is the name of the part that waits for the first seed.
const GateName = "seed"

// Gate is a part that is ready when the conditions of a Seed say that the seed is usable.
func Gate(name string, garden func() (client.Client, error), after []string) component.Part {
	return component.Part{After: after, Title: "seed " + name, Component: component.NewStep(GateName, nil, func(ctx context.Context) error {
		c, err := garden()
		if err != nil {
			return err
		}
		object := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := c.Get(ctx, types.NamespacedName{Name: name}, object); err != nil {
			return fmt.Errorf("read seed %q: %w", name, err)
		}
		return Usable(ctx, c, object)
	})}
}
