package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// bench is the amount of work.
type bench struct {
	objects, workers, lists int
	turn                    int           // objects of one kind per turn
	settle                  time.Duration // pause after requests until their memory is released
	profile                 string        // prefix of file names; empty for no profiles
}

// span is a range of object numbers: from first, excluding end.
type span struct{ first, end int }

// halves divides the objects. Each kind works alone on the first half, to measure the server as a whole. The kinds take
// turns on the second half, to measure times.
func (b *bench) halves() (alone, turns span) {
	return span{0, b.objects / 2}, span{b.objects / 2, b.objects}
}

// alone does something with the first half of the objects of one kind, and records what the API servers allocate for
// it. It takes profiles if they are requested.
func (b *bench) alone(ctx context.Context, k *kind, v verb) error {
	objects, _ := b.halves()
	before, err := k.allocated(ctx)
	if err != nil {
		return err
	}
	wait := b.profiled(ctx, k, v.name)
	_, err = b.each(ctx, k, v, objects)
	if err := errors.Join(err, wait()); err != nil {
		return err
	}
	after, err := k.allocated(ctx)
	k.done(v).bytes = stats.Sample{(after - before) / float64(objects.end-objects.first)}
	return err
}

// inTurns does something with the second half of the objects of all kinds and measures the time. The kinds take turns
// in alternating order, so that all are measured under the same load.
func (b *bench) inTurns(ctx context.Context, kinds []*kind, v verb) error {
	kinds = slices.Clone(kinds)
	_, objects := b.halves()
	elapsed, used := map[*kind]time.Duration{}, map[*kind]time.Duration{}
	for first := objects.first; first < objects.end; first += b.turn {
		for _, k := range kinds {
			before, err := procs.Used(k.all)
			if err != nil {
				return err
			}
			begin := time.Now()
			took, err := b.each(ctx, k, v, span{first, min(first+b.turn, objects.end)})
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			elapsed[k] += time.Since(begin)
			after, err := procs.Used(k.all)
			if err != nil {
				return err
			}
			used[k] += after - before
			k.done(v).took = append(k.done(v).took, took...)
		}
		slices.Reverse(kinds)
	}
	for _, k := range kinds {
		d, count := k.done(v), float64(objects.end-objects.first)
		d.rate = stats.Sample{count / elapsed[k].Seconds()}
		d.cpu = stats.Sample{used[k].Seconds() / count}
	}
	return nil
}

// each does something with some objects of a kind, several at a time, and returns the seconds for each.
func (b *bench) each(ctx context.Context, k *kind, v verb, objects span) (stats.Sample, error) {
	var mu sync.Mutex
	took := make(stats.Sample, 0, objects.end-objects.first)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(b.workers)
	for n := objects.first; n < objects.end; n++ {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			begin := time.Now()
			err := v.do(ctx, k, fmt.Sprintf("bench-%d", n))
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(begin).Seconds())
			return err
		})
	}
	return took, group.Wait()
}
