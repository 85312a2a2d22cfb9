package seed

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// gardenPeriod is the interval for looking whether a Garden has come into the seed, or has gone.
const gardenPeriod = 10 * time.Second

// AddToManager adds the controllers to the manager of the garden. The options are not for the controller that checks health.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	r.crds, r.runtime = &crdInstaller{client: r.SeedClient}, runtimecluster.NewDecision(r.SeedClient)
	isOurs := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetName() == r.SeedName })
	care := "gardenlet-" + r.SeedName + "-seed-care"
	err := builder.ControllerManagedBy(mgr).
		Named(care).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(isOurs, seedstatus.SpecOrCondition(gardencorev1beta1.SeedSystemComponentsHealthy))).
		Complete(reconcile.Func(r.care))
	if err != nil {
		return fmt.Errorf("add controller %q: %w", care, err)
	}
	name := "gardenlet-" + r.SeedName + "-seed"
	err = builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(isOurs, predicate.GenerationChangedPredicate{})).
		WatchesRawSource(r.runtime.Source(gardenPeriod, reconcile.Request{NamespacedName: client.ObjectKey{Name: r.SeedName}})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
