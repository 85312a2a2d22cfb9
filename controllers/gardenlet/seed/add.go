package seed

import (
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// AddToManager adds the controllers to the manager of the garden for the Seed of the name.
func (r *Reconciler) AddToManager(mgr manager.Manager, seed string) error {
	r.crds = &crdInstaller{client: r.SeedClient}
	isOurs := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetName() == seed })
	care := "gardenlet-" + seed + "-seed-care"
	err := builder.ControllerManagedBy(mgr).
		Named(care).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(isOurs, seedstatus.SpecOrCondition(gardencorev1beta1.SeedSystemComponentsHealthy))).
		Complete(reconcile.Func(r.care))
	if err != nil {
		return fmt.Errorf("add controller %q: %w", care, err)
	}
	name := "gardenlet-" + seed + "-seed"
	err = builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(controller.Options{
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](250*time.Millisecond, time.Minute),
		}).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(isOurs, predicate.GenerationChangedPredicate{})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
