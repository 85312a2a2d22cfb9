// Package owner asks a TXT record in the DNS which cluster owns an etcd. An etcd whose control plane has moved to another cluster must
// stop, even if nobody can reach its own cluster to stop it.
//
// The package only asks. Package member stops the etcd.
package owner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// Answer is what the record says.
type Answer string

// The answers.
const (
	// Self means that the record names the owner that is expected.
	Self Answer = "self"
	// Other means that the record names another owner.
	Other Answer = "other"
	// Unknown means that there is no clear answer.
	Unknown Answer = "unknown"
)

const (
	// retryPause is the pause between two attempts of one check.
	retryPause = time.Second
	// lookupTimeout bounds one attempt.
	lookupTimeout = 10 * time.Second
)

// Resolver looks up TXT records.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Check is how the owner is checked.
type Check struct {
	// Name of the record. Without a name nothing is checked.
	Name string
	// ID is the value that is expected.
	ID string
	// Interval is the time between two checks. Timeout is how long one check is repeated without an answer.
	Interval, Timeout time.Duration
	Resolver          Resolver
	Clock             clock.Clock
	// Now ends a Pause early when it has something to receive. It may be nil.
	Now <-chan struct{}
}

// On reports whether the owner is checked.
func (c Check) On() bool { return c.Name != "" }

// Validate returns an error if a check is not possible.
func (c Check) Validate() error {
	switch {
	case c.On() && c.ID == "":
		return errors.New("an owner check needs the ID that is expected")
	case c.On() && (c.Interval <= 0 || c.Timeout <= 0):
		return errors.New("interval and timeout of an owner check must be above 0")
	}
	return nil
}

// Ask asks once. The error says why the answer is unknown.
func (c Check) Ask(ctx context.Context) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, min(c.Timeout, lookupTimeout))
	defer cancel()
	values, err := c.Resolver.LookupTXT(ctx, strings.TrimSuffix(c.Name, ".")+".") // with a dot, no search domains are tried
	switch {
	case err != nil:
		return Unknown, fmt.Errorf("ask for the owner: %w", err)
	case len(values) != 1:
		return Unknown, fmt.Errorf("ask for the owner: record %s has %d values instead of one", c.Name, len(values))
	case values[0] != c.ID:
		return Other, nil
	}
	return Self, nil
}

// Lost checks regularly, and returns as soon as the record does not name the expected owner any longer: Other, or Unknown with the
// reason after the timeout. If ctx ends before, it returns Self.
func (c Check) Lost(ctx context.Context) (Answer, error) {
	for c.Pause(ctx, c.Interval) {
		if answer, err := c.insist(ctx); ctx.Err() == nil && answer != Self {
			return answer, err
		}
	}
	return Self, nil
}

// insist asks until there is a clear answer, or the timeout is over.
func (c Check) insist(ctx context.Context) (Answer, error) {
	for limit := c.Clock.Now().Add(c.Timeout); ; {
		answer, err := c.Ask(ctx)
		if answer != Unknown || !c.Clock.Now().Before(limit) || !c.Wait(ctx, retryPause) {
			return answer, err
		}
	}
}

// Pause waits as Wait does, but not longer than until Now.
func (c Check) Pause(ctx context.Context, d time.Duration) bool {
	timer := c.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-c.Now:
	case <-timer.C():
	}
	return true
}

// Wait waits, and reports whether ctx still goes on.
func (c Check) Wait(ctx context.Context, d time.Duration) bool {
	timer := c.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
		return true
	}
}
