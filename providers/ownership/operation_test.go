package ownership_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gardener-up/gardener-up/providers/ownership"
)

// names is a name server that names one owner; it does not answer if that is empty.
type names struct {
	owner atomic.Pointer[string]
	asked atomic.Int64
}

func (n *names) become(owner string) { n.owner.Store(&owner) }

func (n *names) LookupTXT(context.Context, string) ([]string, error) {
	n.asked.Add(1)
	if owner := *n.owner.Load(); owner != "" {
		return []string{owner}, nil
	}
	return nil, errors.New("no answer")
}

// TestOperationEndsWithTheOwnership has a gardenlet that neither the garden nor the seed tells anything: only the name server answers.
func TestOperationEndsWithTheOwnership(t *testing.T) {
	run := func(t *testing.T, first string, test func(t *testing.T, n *names, ctx context.Context, published func())) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			n := &names{}
			n.become(first)
			ctx, published, end := ownership.Operation(t.Context(), n, "owner.sun.sky.internal", "earth")
			test(t, n, ctx, published)
			end() // synctest would find a question that goes on
		})
	}
	t.Run("MIG-26 an operation ends within the interval after another seed has taken the shoot", func(t *testing.T) {
		run(t, "earth", func(t *testing.T, n *names, ctx context.Context, published func()) {
			published()
			published() // by a repeated step
			<-time.After(time.Hour)
			if ctx.Err() != nil {
				t.Fatalf("it ends before: %v", context.Cause(ctx))
			}
			n.become("mars")
			begin := time.Now()
			<-ctx.Done()
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("it ends after %s", took)
			}
			if lost := (*ownership.LostError)(nil); !errors.As(ownership.Lost(ctx), &lost) || lost.Seed != "earth" {
				t.Errorf("it ends because of %v", context.Cause(ctx))
			}
		})
	})
	t.Run("MIG-26 a restoration is not bound to the former owner before it has published itself", func(t *testing.T) {
		run(t, "mars", func(t *testing.T, n *names, ctx context.Context, published func()) {
			<-time.After(time.Hour)
			if ctx.Err() != nil || n.asked.Load() > 0 {
				t.Errorf("the owner was asked for %d times, and the end is %v", n.asked.Load(), context.Cause(ctx))
			}
		})
	})
	t.Run("MIG-26 an owner that is not known does not end an operation, but another one after that", func(t *testing.T) {
		run(t, "", func(t *testing.T, n *names, ctx context.Context, published func()) {
			published()
			<-time.After(time.Hour)
			if ctx.Err() != nil {
				t.Fatalf("it ends: %v", context.Cause(ctx))
			}
			n.become("mars")
			<-ctx.Done()
		})
	})
	t.Run("the end of an operation is no loss", func(t *testing.T) {
		ctx, published, end := ownership.Operation(t.Context(), &names{}, "owner.sun.sky.internal", "earth")
		published()
		end()
		if ctx.Err() == nil || ownership.Lost(ctx) != nil {
			t.Errorf("the end is %v", context.Cause(ctx))
		}
	})
}
