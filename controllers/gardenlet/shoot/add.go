package shoot

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controllers to the manager of the garden. Its scheme must know core/v1 and the groups core, security
// and authentication of Gardener; see embedded/apis/install.
func AddToManager(garden manager.Manager, cfg Config) error {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return fmt.Errorf("configuration of the shoot controllers: %w", err)
	}
	seedClient, err := client.NewWithWatch(cfg.Seed.GetConfig(), client.Options{
		HTTPClient: cfg.Seed.GetHTTPClient(), Scheme: cfg.Seed.GetScheme(), Mapper: cfg.Seed.GetRESTMapper(),
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
	reconciler := &lifecycle.Reconciler{
		Garden: garden.GetClient(), GardenReader: garden.GetAPIReader(), Seed: seed, Clock: cfg.Clock,
		Recorder:       garden.GetEventRecorder("gardenlet"),
		GardenIdentity: identity{reader: garden.GetAPIReader(), known: cfg.GardenIdentity}.get,
		SeedIdentity:   identity{reader: seed, known: cfg.SeedIdentity}.get,
		Access:         cfg.Access, Image: cfg.Image, Pods: cfg.Pods, Settings: cfg.Lifecycle,
	}
	// One attempt is a whole flow, which retries its steps itself.
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Lifecycle.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

func addCare(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	reconciler := &care.Reconciler{
		Garden: garden.GetClient(), Seed: seed, Clock: cfg.Clock, ShootConfig: cfg.Access.ShootConfig, SeedName: cfg.Lifecycle.SeedName,
		Settings: cfg.Care,
	}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Care.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}
