package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// look bounds the time between two looks at the clock. Timers stand still while a laptop sleeps.
	look = 10 * time.Minute
	// firstPause and longestPause are the pauses between failed renewals.
	firstPause, longestPause = time.Second, time.Minute
)

// errExpired ends the gardenlet: its next start requests a certificate with a bootstrap token.
var errExpired = errors.New("the client certificate of the gardenlet has expired")

// Start renews the certificate in time until ctx ends. It is a runnable for the manager of the garden. It returns an error
// when the certificate could not be renewed before its end.
func (a *Access) Start(ctx context.Context) error {
	logger := log.FromContext(ctx).WithName("gardenlet-certificate")
	ctx = log.IntoContext(ctx, logger)
	pause := firstPause
	for {
		a.mu.Lock()
		due, expires, changed := a.due, a.current.leaf.NotAfter, a.changed
		a.mu.Unlock()
		if err := a.wait(ctx, due.Sub(a.in.Clock.Now()), changed); err != nil {
			return nil
		}
		now := a.in.Clock.Now()
		if now.Before(due) {
			pause = firstPause
			continue
		}
		err := a.Renew(ctx)
		switch {
		case err == nil:
			pause = firstPause
			continue
		case ctx.Err() != nil:
			return nil
		case !a.in.Clock.Now().Before(expires):
			return fmt.Errorf("%w: %w", errExpired, err)
		}
		logger.Info("Client certificate for the garden is not renewed yet", "expires", expires, "reason", err.Error())
		if err := a.wait(ctx, pause, changed); err != nil {
			return nil
		}
		pause = min(2*pause, longestPause)
	}
}

// NeedLeaderElection is false: a seed has one gardenlet.
func (a *Access) NeedLeaderElection() bool { return false }

// wait returns after a while, or when somebody else has renewed the certificate. The error is that of ctx.
func (a *Access) wait(ctx context.Context, duration time.Duration, changed <-chan struct{}) error {
	if duration <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-a.in.Clock.After(min(duration, look)):
	}
	return nil
}
