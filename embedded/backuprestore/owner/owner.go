package owner

import (
	"context"
	"errors"
	"fmt"
	"net"
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

// ErrSilent means that no name server has answered. It is not the answer that there is no record.
var ErrSilent = errors.New("no name server answers")

// Resolver looks up TXT records.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Others are how a member of an etcd tells the others that it has heard of another owner. Whoever is asked by Check knows the failures of the methods.
type Others interface {
	// Heard are the notes of members that have heard of another owner.
	Heard(ctx context.Context) (notes []string)
	// Tell leaves a note, unless one of the notes is this member's own: those of others may be older than its answer.
	Tell(ctx context.Context, notes []string)
	// Forget removes notes.
	Forget(ctx context.Context, notes []string)
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
	// Keep means that the last clear answer counts while no name server answers. Package owner says when that is right.
	Keep bool
	// Others are the other members of the etcd; nil if it has one. They matter only with Keep.
	Others Others
	Clock  clock.Clock
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

// Ask asks once. The error says why the answer is unknown. A clear answer is told to the other members, and theirs counts where no name server answers.
func (c Check) Ask(ctx context.Context) (Answer, error) {
	if !c.Keep || c.Others == nil {
		return c.ask(ctx)
	}
	heard := c.Others.Heard(ctx) // before the question, so an answer is newer than the notes that it makes void
	answer, err := c.ask(ctx)
	switch {
	case answer == Self && len(heard) > 0:
		c.Others.Forget(ctx, heard)
	case answer == Other:
		c.Others.Tell(ctx, heard)
	case c.Kept(err) && len(heard) > 0:
		return Other, nil
	}
	return answer, err
}

// ask asks the name server.
func (c Check) ask(ctx context.Context) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, min(c.Timeout, lookupTimeout))
	defer cancel()
	values, err := c.Resolver.LookupTXT(ctx, strings.TrimSuffix(c.Name, ".")+".") // with a dot, no search domains are tried
	switch {
	case err != nil && !answered(err):
		return Unknown, fmt.Errorf("ask for the owner: %w: %w", ErrSilent, err)
	case err != nil:
		return Unknown, fmt.Errorf("ask for the owner: %w", err)
	case len(values) != 1:
		return Unknown, fmt.Errorf("ask for the owner: record %s has %d values instead of one", c.Name, len(values))
	case values[0] != c.ID:
		return Other, nil
	}
	return Self, nil
}

// answered reports whether a name server has said that there is no record. A server that cannot answer now is like none.
func answered(err error) bool {
	missing := (*net.DNSError)(nil)
	return errors.As(err, &missing) && missing.IsNotFound
}

// Kept reports whether the last clear answer counts, by the error of Ask.
func (c Check) Kept(err error) bool { return c.Keep && errors.Is(err, ErrSilent) }

// Lost checks regularly, and returns as soon as the record does not name the expected owner any longer: Other, or Unknown with the
// reason after the timeout. If ctx ends before, it returns Self. Before the first check the owner is the expected one.
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
		if c.Kept(err) {
			return Self, nil
		}
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
