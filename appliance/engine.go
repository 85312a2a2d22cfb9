package appliance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// findEngine returns the container engine of a landscape: the one that has its containers, whatever the environment says
// today, or for a landscape that has none yet the one that the environment leads to. One that has moved is followed if the
// environment leads to it.
func findEngine(ctx context.Context, landscape string, made store.Engine) (*containers.Engine, error) {
	if made.Name == "" {
		return containers.Detect(ctx)
	}
	endpoint := containers.Endpoint(made)
	engine, err := containers.Open(ctx, endpoint)
	if err == nil {
		return engine, nil
	}
	if other, detectErr := containers.Detect(ctx); detectErr == nil {
		if _, inspectErr := other.Inspect(ctx, cluster.NodeName(kindClusterName(landscape))); inspectErr == nil {
			return other, nil
		}
	}
	return nil, fmt.Errorf("the landscape has its containers at %s: %w\nif it has moved, let the environment lead there", endpoint, err)
}

// keepEngine notes the engine before anything is made with it.
func keepEngine(s *store.Store, engine *containers.Engine) error {
	if err := s.SetEngine(store.Engine(engine.Endpoint())); err != nil {
		return fmt.Errorf("note the container engine: %w", err)
	}
	return nil
}

// storedEngine is the engine a landscape was made with; empty if it has none, or none yet.
func storedEngine(p paths.Paths) (store.Engine, error) {
	if _, err := os.Stat(p.Store()); errors.Is(err, os.ErrNotExist) {
		return store.Engine{}, nil
	}
	s, err := store.Open(p.Store())
	if err != nil {
		return store.Engine{}, err
	}
	defer s.Close()
	engine, _, err := s.Engine()
	return engine, err
}

// IgnoredEngine tells what in the environment leads to another container engine than the one the landscape was made with,
// and is therefore not heeded. It is empty where there is no contradiction.
func IgnoredEngine(p paths.Paths) string {
	made, err := storedEngine(p)
	if err != nil || made.Name == "" {
		return ""
	}
	endpoint := containers.Endpoint(made)
	contradictions := endpoint.Contradicts()
	if len(contradictions) == 0 {
		return ""
	}
	return fmt.Sprintf("%s is not heeded: the landscape was made with %s", strings.Join(contradictions, ", "), endpoint)
}
