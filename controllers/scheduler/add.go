// Package scheduler composes the controllers that choose seeds for Shoots. They reach only the garden.
package scheduler

import (
	"fmt"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/scheduler/shoot"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// SameRegion considers only seeds in the region of the shoot.
const SameRegion = "SameRegion"

// Config of the scheduler. The zero value takes the defaults.
type Config struct {
	// ConcurrentSyncs is how many shoots are handled at a time. Default: 5.
	ConcurrentSyncs int
	// CandidateDeterminationStrategy is how candidates are selected; only SameRegion, the default, is supported.
	CandidateDeterminationStrategy string
}

// AddToManager adds the scheduler to the manager of the garden.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.ConcurrentSyncs == 0 {
		cfg.ConcurrentSyncs = 5
	}
	if strategy := cfg.CandidateDeterminationStrategy; strategy != "" && strategy != SameRegion {
		return fmt.Errorf("candidate determination strategy %q is not supported", strategy)
	}
	shoots := &shoot.Reconciler{Client: mgr.GetClient(), Recorder: mgr.GetEventRecorder("gardener-scheduler"), Clock: clock.RealClock{}}
	// A seed that becomes usable wakes the Shoots without a seed at once, so the retries may be rare.
	return shoots.AddToManager(mgr, workers.Options{Count: cfg.ConcurrentSyncs, FirstRetry: time.Second, LastRetry: 5 * time.Minute})
}
