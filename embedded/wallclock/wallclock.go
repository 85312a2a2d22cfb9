// Package wallclock waits for times of the clock on the wall. Timers stand still while a machine sleeps, so a timer of an hour that was
// set before an hour of sleep fires when a token of an hour is long dead. Waits with this package are late by Look at most.
package wallclock

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Look is the time between two looks at the clock on the wall.
const Look = time.Minute

// Until waits until the time is due, and returns the error of a context that ends before. A clock that is set back does not make the wait longer by
// more than Look: it ends as well when the clock is behind its begin, or when timers say that the time has passed. So whoever asks for a time of a
// calendar may be called early, after somebody has set the clock.
func Until(ctx context.Context, c clock.Clock, due time.Time) error {
	due = due.Round(0) // without the reading of the clock of timers
	begin := c.Now().Round(0)
	longest := due.Sub(begin) + Look
	for {
		now := c.Now().Round(0)
		left := due.Sub(now)
		if left <= 0 || longest <= 0 || now.Before(begin) {
			return ctx.Err()
		}
		next := min(left, longest, Look)
		if err := wait(ctx, c, next); err != nil {
			return err
		}
		longest -= next
	}
}

// Jumps calls jumped each time the clock on the wall is further than timers by more than Look, until the context ends: the machine slept, or somebody
// set the clock.
func Jumps(ctx context.Context, c clock.Clock, jumped func()) {
	for {
		before := c.Now().Round(0)
		if wait(ctx, c, Look) != nil {
			return
		}
		if c.Now().Round(0).Sub(before) > 2*Look {
			jumped()
		}
	}
}

func wait(ctx context.Context, c clock.Clock, duration time.Duration) error {
	timer := c.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C():
		return nil
	}
}
