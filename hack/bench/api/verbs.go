package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

const (
	// pageSize is that of kubectl.
	pageSize = 500
	// settle is how long memory of requests may take to be given back. It is longer than the time after which components
	// of the binary give back what starting took.
	settle = 20 * time.Second
)

// bench is how much to do.
type bench struct {
	objects, workers, lists int
	profile                 string // prefix of files; empty for none
}

// create creates all objects while somebody watches, and measures what the server needs for them.
func (b *bench) create(ctx context.Context, k *kind) error {
	before, err := k.settled(ctx)
	if err != nil {
		return err
	}
	w, err := k.watch(ctx)
	if err != nil {
		return err
	}
	defer w.stop()
	begin := time.Now()
	k.creations, k.createCPU, k.createBytes, err = b.each(ctx, k, "create", func(ctx context.Context, name string) error {
		body, err := k.body(name)
		if err != nil {
			return err
		}
		w.expect(name)
		_, err = k.do(ctx, http.MethodPost, "", "application/json", body)
		return err
	})
	if err != nil {
		return err
	}
	k.rate = stats.Sample{float64(b.objects) / time.Since(begin).Seconds()}
	if k.events, err = w.all(ctx, b.objects); err != nil {
		return err
	}
	w.stop()
	after, err := k.settled(ctx)
	k.memory = stats.Sample{(after - before) / float64(b.objects)}
	return err
}

// settled is the memory of the server after a pause.
func (k *kind) settled(ctx context.Context) (float64, error) {
	select {
	case <-time.After(settle):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	memory, err := procs.MemoryOf([]int{k.server})
	return float64(memory.PSS), err
}

// list reads all objects at once and in pages.
func (k *kind) list(ctx context.Context, want int) error {
	begin := time.Now()
	answer, err := k.do(ctx, http.MethodGet, "?resourceVersion=0", "", nil)
	if err != nil {
		return err
	}
	k.lists = append(k.lists, time.Since(begin).Seconds())
	if err := complete(answer, want); err != nil {
		return err
	}
	begin = time.Now()
	for next := ""; ; {
		answer, err := k.do(ctx, http.MethodGet, fmt.Sprintf("?limit=%d&continue=%s", pageSize, url.QueryEscape(next)), "", nil)
		if err != nil {
			return err
		}
		var page listed
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		if next = page.Metadata.Continue; next == "" {
			break
		}
	}
	k.pages = append(k.pages, time.Since(begin).Seconds())
	return nil
}

func complete(answer []byte, want int) error {
	var all listed
	if err := json.Unmarshal(answer, &all); err != nil {
		return err
	}
	if len(all.Items) < want {
		return fmt.Errorf("listed %d objects instead of %d", len(all.Items), want)
	}
	return nil
}

// patch adds a label to every object.
func (b *bench) patch(ctx context.Context, k *kind) (err error) {
	k.patches, k.patchCPU, k.patchBytes, err = b.each(ctx, k, "patch", func(ctx context.Context, name string) error {
		_, err := k.do(ctx, http.MethodPatch, "/"+name, "application/merge-patch+json", []byte(`{"metadata":{"labels":{"bench":"patched"}}}`))
		return err
	})
	return err
}

// each does something, called what, with every name, several at a time. It returns how long each took, and how much processor time
// and allocated memory the servers needed for one on average.
func (b *bench) each(ctx context.Context, k *kind, what string, do func(ctx context.Context, name string) error) (took, cpu, bytes stats.Sample, err error) {
	allocated, err := k.allocated(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	before, err := procs.Used(k.all)
	if err != nil {
		return nil, nil, nil, err
	}
	wait := b.profiled(ctx, k, what)
	var mu sync.Mutex
	took = make(stats.Sample, 0, b.objects)
	parent := ctx
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(b.workers)
	for n := range b.objects {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			begin := time.Now()
			err := do(ctx, fmt.Sprintf("bench-%d", n))
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(begin).Seconds())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, nil, err
	}
	after, err := procs.Used(k.all)
	if err := errors.Join(err, wait()); err != nil {
		return nil, nil, nil, err
	}
	all, err := k.allocated(parent)
	one := func(total float64) stats.Sample { return stats.Sample{total / float64(b.objects)} }
	return took, one((after - before).Seconds()), one(all - allocated), err
}
