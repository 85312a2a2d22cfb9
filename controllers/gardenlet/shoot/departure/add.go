package departure

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. When it starts, it looks at all Clusters of the seed; later at those whose
// Shoots leave the cache, which has those of this seed only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-shoot-departure"
	never := func(client.Object) bool { return false }
	left, first := predicate.NewPredicateFuncs(never), predicate.TypedFuncs[*extensionsv1alpha1.Cluster]{
		UpdateFunc: func(event.TypedUpdateEvent[*extensionsv1alpha1.Cluster]) bool { return false },
		DeleteFunc: func(event.TypedDeleteEvent[*extensionsv1alpha1.Cluster]) bool { return false },
	}
	left.DeleteFunc = func(event.DeleteEvent) bool { return true }
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		Watches(&gardencorev1beta1.Shoot{}, handler.EnqueueRequestsFromMapFunc(inSeed), builder.WithPredicates(left)).
		WatchesRawSource(source.Kind(r.SeedCache, &extensionsv1alpha1.Cluster{},
			handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, cluster *extensionsv1alpha1.Cluster) []reconcile.Request {
				return named(cluster.Name)
			}), first)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// inSeed returns the Cluster of a Shoot.
func inSeed(_ context.Context, object client.Object) []reconcile.Request {
	shoot, ok := object.(*gardencorev1beta1.Shoot)
	if !ok || shoot.Status.TechnicalID == "" {
		return nil
	}
	return named(shoot.Status.TechnicalID)
}

func named(cluster string) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: cluster}}}
}
