package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// pageSize is that of kubectl.
const pageSize = 500

// listings lists in turn, so that both kinds meet the same machine. Profiles that are wanted are taken first, of each kind.
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
			k.lists, k.pages = nil, nil
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

// list reads all objects at once and in pages, and notes how long it took.
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
