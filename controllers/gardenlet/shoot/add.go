package shoot

import (
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// AddToManager adds the controllers to the manager of the garden. The scheme of the garden must know core/v1 and the groups
// core, security and authentication of Gardener, the scheme of the seed everything that a control plane is made of
// (embedded/apis/install has both). The seed is read without its caches.
func AddToManager(garden manager.Manager, seed cluster.Cluster, cfg Config) error {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return fmt.Errorf("configuration of the shoot controllers: %w", err)
	}
	seedClient, err := client.NewWithWatch(seed.GetConfig(), client.Options{
		HTTPClient: seed.GetHTTPClient(), Scheme: seed.GetScheme(), Mapper: seed.GetRESTMapper(),
	})
	if err != nil {
		return fmt.Errorf("make client of the seed: %w", err)
	}
	if err := addLifecycle(garden, seedClient, cfg); err != nil {
		return err
	}
	return addCare(garden, seedClient, cfg)
}

func addLifecycle(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	name := "gardenlet-" + cfg.Lifecycle.SeedName + "-shoot"
	reconciler := &lifecycle.Reconciler{
		Garden: garden.GetClient(), GardenReader: garden.GetAPIReader(), Seed: seed, Clock: cfg.Clock,
		Recorder:       garden.GetEventRecorder("gardenlet"),
		GardenIdentity: identity{reader: garden.GetAPIReader(), known: cfg.GardenIdentity}.get,
		SeedIdentity:   identity{reader: seed, known: cfg.SeedIdentity}.get,
		Access:         cfg.Access, Settings: cfg.Lifecycle,
	}
	err := builder.ControllerManagedBy(garden).
		Named(name).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.And(ofSeed(cfg.Lifecycle.SeedName), lifecycle.Changed()))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: cfg.Lifecycle.ConcurrentSyncs,
			// One attempt is a whole flow, which retries its steps itself.
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Minute),
		}).
		Complete(reconciler)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func addCare(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	name := "gardenlet-" + cfg.Lifecycle.SeedName + "-shoot-care"
	reconciler := &care.Reconciler{
		Garden: garden.GetClient(), Seed: seed, Clock: cfg.Clock, ShootConfig: cfg.Access.ShootConfig, Settings: cfg.Care,
	}
	err := builder.ControllerManagedBy(garden).
		Named(name).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.And(ofSeed(cfg.Lifecycle.SeedName), care.Finished()))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: cfg.Care.ConcurrentSyncs,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Minute),
		}).
		Complete(reconciler)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// ofSeed passes the Shoots that this gardenlet is responsible for.
func ofSeed(name string) predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		shoot, ok := object.(*gardencorev1beta1.Shoot)
		return ok && lifecycle.ResponsibleSeed(shoot) == name
	})
}
