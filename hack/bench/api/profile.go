package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"golang.org/x/sync/errgroup"
)

// profileTime is the duration of a profile.
const profileTime = 5 // seconds

// profiled starts processor and allocation profiles of the server if they are requested. It returns at once; wait waits
// for the profiles.
func (b *bench) profiled(ctx context.Context, k *kind, what string) (wait func() error) {
	if b.profile == "" {
		return func() error { return nil }
	}
	path := fmt.Sprintf("%s.%s.%s", b.profile, k.name, what)
	var group errgroup.Group
	group.Go(func() error { return k.writeProfile(ctx, "profile", path) })
	group.Go(func() error { return k.writeProfile(ctx, "allocs", path+".allocs") })
	return group.Wait
}

func (k *kind) writeProfile(ctx context.Context, which, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/debug/pprof/%s?seconds=%d", k.host, which, profileTime), nil)
	if err != nil {
		return err
	}
	response, err := k.client.Do(request)
	if err != nil {
		return fmt.Errorf("profile the server: %w", err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read profile: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("profile the server: %s: %.500s", response.Status, content)
	}
	return os.WriteFile(path, content, 0o644)
}
