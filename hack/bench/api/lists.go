package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/procs"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// pageSize is the page size of kubectl.
const pageSize = 500

// listings lists both kinds in turn, so that both are measured under the same load. If profiles are requested, they are
// taken first, for each kind.
func (b *bench) listings(ctx context.Context, kinds []*kind) error {
	if b.profile != "" {
		for _, k := range kinds {
			wait := b.profiled(ctx, k, "list")
			begin := time.Now()
			for time.Since(begin) < profileTime*time.Second {
				if err := k.list(ctx, b.objects); err != nil {
					return fmt.Errorf("%s: %w", k.name, err)
				}
			}
			if err := wait(); err != nil {
				return err
			}
			k.lists, k.pages, k.listsCPU, k.pagesCPU = nil, nil, nil, nil
		}
	}
	for range b.lists {
		for _, k := range kinds {
			if err := k.list(ctx, b.objects); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	return nil
}

// list reads all objects at once and in pages. It records the time of each list and the processor time of the servers.
func (k *kind) list(ctx context.Context, want int) error {
	var answer []byte
	err := k.timed(&k.lists, &k.listsCPU, func() (err error) {
		answer, err = k.do(ctx, http.MethodGet, "?resourceVersion=0", "", nil)
		return err
	})
	if err != nil {
		return err
	}
	if err := complete(answer, want); err != nil {
		return err
	}
	return k.timed(&k.pages, &k.pagesCPU, func() error { return k.readPages(ctx) })
}

// timed adds the time and the servers' processor time of one call of do to two samples.
func (k *kind) timed(took, cpu *stats.Sample, do func() error) error {
	before, err := procs.Used(k.all)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := do(); err != nil {
		return err
	}
	*took = append(*took, time.Since(begin).Seconds())
	after, err := procs.Used(k.all)
	*cpu = append(*cpu, (after - before).Seconds())
	return err
}

// readPages reads all objects in pages as kubectl does.
func (k *kind) readPages(ctx context.Context) error {
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
			return nil
		}
	}
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
