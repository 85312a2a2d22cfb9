// Package testwait waits in tests, so that no test has a loop of its own. It imports the standard library only. Tests that use an
// API server wait with testenv.Env.Until, which watches it. Only tests may import this package.
package testwait

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// Patience is how long a test waits before it fails. It is generous, because machines can be busy.
const Patience = time.Minute

const (
	shortPause = 5 * time.Millisecond
	longPause  = 100 * time.Millisecond
	// restsPerCheck and longestRest are for checks that cost as much as a process.
	restsPerCheck = 4
	shortestRest  = 250 * time.Millisecond
	longestRest   = time.Second
)

// Until calls check until it returns nil, also in a cleanup, where the context of the test has ended. When Patience is over, it fails
// the test with the last error. It is for what cannot be watched: other processes, their files and ports, counters. The pauses
// between the calls grow, up to a tenth of a second.
func Until(t testing.TB, what string, check func() error) {
	t.Helper()
	For(t, Patience, what, check)
}

// For is Until with another patience.
func For(t testing.TB, patience time.Duration, what string, check func() error) {
	t.Helper()
	if err := Try(context.WithoutCancel(t.Context()), patience, check); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Try is For for callers that go on after a failure, or have no test yet. It returns an error instead of failing the test.
func Try(ctx context.Context, patience time.Duration, check func() error) error {
	pause := shortPause
	return wait(ctx, patience, func(context.Context) error { return check() }, func(ctx context.Context) {
		rest(ctx, pause)
		pause = min(2*pause, longPause)
	})
}

// Sparing is For for checks that cost processor time, such as processes: it rests four times as long as a check takes, a quarter of a
// second at least and a second at most.
func Sparing(t testing.TB, patience time.Duration, what string, check func() error) {
	t.Helper()
	var took time.Duration
	err := wait(context.WithoutCancel(t.Context()), patience, func(context.Context) error {
		begin := time.Now()
		err := check()
		took = time.Since(begin)
		return err
	}, func(ctx context.Context) { rest(ctx, min(max(restsPerCheck*took, shortestRest), longestRest)) })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Changed calls check at once, and again each time that changes has a value, until it returns nil. When Patience is over, it fails
// the test with the last error. The context of check ends then, too. atLeast is how often check is called without a change.
func Changed(t testing.TB, changes <-chan struct{}, atLeast time.Duration, what string, check func(context.Context) error) {
	t.Helper()
	err := wait(context.WithoutCancel(t.Context()), Patience, check, func(ctx context.Context) {
		rest(ctx, shortPause) // one change rarely comes alone
		again := time.NewTimer(atLeast)
		defer again.Stop()
		select {
		case <-changes:
		case <-again.C:
		case <-ctx.Done():
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Stays fails the test if check returns an error during this time. Whether nothing happens can only be seen by letting time pass.
func Stays(t testing.TB, during time.Duration, what string, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), during)
	defer cancel()
	for {
		if err := check(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if ctx.Err() != nil {
			return
		}
		rest(ctx, longPause)
	}
}

func wait(ctx context.Context, patience time.Duration, check func(context.Context) error, pause func(context.Context)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // an error that ctx caused says less than the one before
		}
		if ctx.Err() != nil {
			return fmt.Errorf("not within %s: %w", patience, last)
		}
		pause(ctx)
	}
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
