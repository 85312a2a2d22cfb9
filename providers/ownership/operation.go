package ownership

import (
	"context"
	"errors"
	"sync"

	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
)

// Resolver asks a name server.
type Resolver = owner.Resolver

// Operation returns a context that ends with a LostError when the record of the owner names another seed. So an operation on a shoot does not
// go on when another seed has taken the shoot, even if neither the garden nor the API server of the seed can tell that. The check begins
// with the first call of published. end must be called, and waits until nobody asks any longer.
//
// An owner that is not known does not end the operation. Where it must, etcd and extensions stop by themselves.
func Operation(parent context.Context, resolver Resolver, record, seed string) (ctx context.Context, published, end func()) {
	check := owner.Check{Name: record, ID: seed, Interval: interval, Timeout: timeout, Resolver: resolver, Clock: clock.RealClock{}}
	ctx, cancel := context.WithCancelCause(parent)
	begin, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
			return
		case <-begin:
		}
		for {
			switch answer, _ := check.Lost(ctx); answer {
			case owner.Self: // the operation has ended
				return
			case owner.Other:
				cancel(&LostError{Record: check.Name, Seed: check.ID})
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() { close(begin) }), func() {
		cancel(context.Canceled)
		<-done
	}
}

// Lost returns why a context of Operation has ended before the operation; nil if it has not.
func Lost(ctx context.Context) error {
	lost := (*LostError)(nil)
	if errors.As(context.Cause(ctx), &lost) {
		return lost
	}
	return nil
}
