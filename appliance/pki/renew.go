package pki

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// RenewInterval is how often a running landscape looks for certificates that are due. A third of the validity is left then,
// which leaves time for many attempts.
const RenewInterval = time.Hour

// RunRenewal renews what is due until ctx ends. It calls renewed after each attempt, with the error if there was one. An
// error does not end the loop. A machine that sleeps through the interval renews a minute after it wakes, and one whose clock was ahead a minute
// after it is right.
func (p *PKI) RunRenewal(ctx context.Context, timers clock.Clock, renewed func(*Bundle, error)) error {
	for {
		if err := wallclock.Until(ctx, timers, timers.Now().Add(RenewInterval)); err != nil {
			return err
		}
		renewed(p.Ensure())
	}
}
