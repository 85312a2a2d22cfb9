// Package scheduler composes the controllers that choose seeds for Shoots. They reach only the garden.
package scheduler

import (
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
	"github.com/gardener-up/gardener-up/controllers/scheduler/shoot"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Config of the scheduler. The zero value takes the defaults.
type Config struct {
	// Configuration must have its defaults set; nil means the configuration of an empty file.
	Configuration *config.SchedulerConfiguration
	// InLandscape means that this process runs more than the scheduler and decides how the garden is reached.
	InLandscape bool
}

// AddToManager adds the scheduler to the manager of the garden.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Configuration == nil {
		cfg.Configuration = config.Default()
	}
	keys := cfg.Configuration.WithoutEffect()
	if cfg.InLandscape {
		keys = append(keys, cfg.Configuration.OfProcess()...)
	}
	effect.Log(mgr.GetLogger(), keys)
	shoots := &shoot.Reconciler{
		Client: mgr.GetClient(), Recorder: mgr.GetEventRecorder("gardener-scheduler"), Clock: clock.RealClock{},
		Strategy: cfg.Configuration.Schedulers.Shoot.CandidateDeterminationStrategy,
	}
	// A seed that becomes usable wakes the Shoots without a seed at once, so the retries may be rare.
	options := workers.Options{Count: cfg.Configuration.Schedulers.Shoot.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: 5 * time.Minute}
	return shoots.AddToManager(mgr, options)
}
