package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
)

// profileTime is how long a profile is taken.
const profileTime = 5 // seconds

// profiled begins a profile of the server, if one of the kind is wanted. It returns at once; wait waits for the profile.
func (b *bench) profiled(ctx context.Context, k *kind, what string) (wait func() error) {
	if b.profile == "" {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() { done <- k.writeProfile(ctx, fmt.Sprintf("%s.%s.%s", b.profile, k.name, what)) }()
	return func() error { return <-done }
}

func (k *kind) writeProfile(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", k.host, profileTime), nil)
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
