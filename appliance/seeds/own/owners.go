package own

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// OwnersPart is the name of the part that tells other gardenlets how the etcds of a kind seed find out their owners.
func OwnersPart(seed string) string { return "owners-" + seed }

// owners writes what other gardenlets have to know of a kind seed on its Seed again after somebody has replaced it.
//
// It needs the garden only, and must not wait for the cluster. While that does not run as it should, etcds in it may run without the name server, which they
// reach through the cluster, and keep their owner. The gardenlet of the seed is silent then. Without the annotation, another seed would take a shoot that is to move, and
// two etcds would go on with the same data.
type owners struct {
	seed   string
	garden func() (client.Client, error)
	log    logr.Logger
}

func (o *owners) run(ctx context.Context) error {
	garden, err := o.garden()
	if err != nil {
		return err
	}
	for {
		next := registrationPeriod
		if err := o.say(ctx, garden); err != nil {
			o.log.Info("Further seed does not say yet that it keeps owners", "seed", o.seed, "reason", err.Error())
			next = registrationSoon
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(next):
		}
	}
}

// say annotates the Seed. What an operator says stays. A Seed that is to be made gets the annotation then.
func (o *owners) say(ctx context.Context, garden client.Client) error {
	seed := &gardencorev1beta1.Seed{}
	if err := garden.Get(ctx, types.NamespacedName{Name: o.seed}, seed); err != nil {
		return client.IgnoreNotFound(err)
	}
	if _, says := seed.Annotations[helper.AnnotationKeepsOwners]; says {
		return nil
	}
	before := seed.DeepCopy()
	metav1.SetMetaDataAnnotation(&seed.ObjectMeta, helper.AnnotationKeepsOwners, "true")
	if err := garden.Patch(ctx, seed, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotate seed %q: %w", o.seed, err)
	}
	return nil
}
