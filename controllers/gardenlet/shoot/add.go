package shoot

import (
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/care"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/departure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/extensionstate"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/scaling"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/takeover"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/watchdog"
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
	return errors.Join(addCare(garden, seedClient, cfg), addWatchdog(garden, seedClient, cfg), addScaling(garden, seedClient, cfg), addExtensionState(garden, seedClient, cfg), addTakeover(garden, cfg), addDeparture(garden, seedClient, cfg))
}

// watchdogPeriod is shorter than the time after which the controllers of a shoot act on nodes that are silent.
const watchdogPeriod = 20 * time.Second

func addWatchdog(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	reconciler := &watchdog.Reconciler{
		Garden: garden.GetClient(), Seed: seed, Leases: watchdog.InShoot(seed, cfg.Access.Config), Recorder: garden.GetEventRecorder("gardenlet"),
		Clock: cfg.Clock, SeedName: cfg.Lifecycle.SeedName, Period: watchdogPeriod,
	}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Care.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

// scalingPeriod is that of the public recommender.
const scalingPeriod = time.Minute

func addScaling(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	if !cfg.Gardenlet.ScaleEtcds {
		return nil
	}
	reconciler := &scaling.Reconciler{Garden: garden.GetClient(), Seed: seed, Clock: cfg.Clock, SeedName: cfg.Lifecycle.SeedName, Period: scalingPeriod}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Care.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

func addExtensionState(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	reconciler := &extensionstate.Reconciler{
		Garden: garden.GetClient(), GardenReader: garden.GetAPIReader(), Objects: extension.Objects{Client: seed},
		SeedCache: cfg.Seed.GetCache(), SeedName: cfg.Lifecycle.SeedName,
	}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Care.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

func addTakeover(garden manager.Manager, cfg Config) error {
	reconciler := &takeover.Reconciler{
		Garden: garden.GetClient(), GardenReader: garden.GetAPIReader(), Recorder: garden.GetEventRecorder("gardenlet"), Clock: cfg.Clock,
		SeedName: cfg.Lifecycle.SeedName, Settings: cfg.Takeover,
	}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Takeover.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

func addDeparture(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	reconciler := &departure.Reconciler{
		GardenReader: garden.GetAPIReader(), Seed: seed, SeedCache: cfg.Seed.GetCache(), Clock: cfg.Clock, SeedName: cfg.Lifecycle.SeedName,
	}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Takeover.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

func addLifecycle(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	reconciler := &lifecycle.Reconciler{
		Clusters:       flow.Clusters{Garden: garden.GetClient(), GardenReader: garden.GetAPIReader(), Seed: seed, SeedConfig: cfg.Seed.GetConfig()},
		Clock:          cfg.Clock,
		Recorder:       garden.GetEventRecorder("gardenlet"),
		GardenIdentity: identity{reader: garden.GetAPIReader(), known: cfg.GardenIdentity}.get,
		SeedIdentity:   identity{reader: seed, known: cfg.SeedIdentity}.get,
		Resolver:       cfg.Resolver,
		Access:         cfg.Access, Gardenlet: cfg.Gardenlet, Settings: cfg.Lifecycle,
	}
	// One attempt is a whole flow, which retries its steps itself.
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Lifecycle.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}

func addCare(garden manager.Manager, seed client.WithWatch, cfg Config) error {
	reconciler := &care.Reconciler{
		Garden: garden.GetClient(), GardenReader: garden.GetAPIReader(), Seed: seed, Clock: cfg.Clock, ShootConfig: cfg.Access.Config,
		SeedName: cfg.Lifecycle.SeedName, Settings: cfg.Care,
	}
	return reconciler.AddToManager(garden, workers.Options{Count: cfg.Care.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: time.Minute})
}
