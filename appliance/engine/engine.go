// Package engine knows which container engine a landscape has: the one that its containers were made with. It removes those
// containers, too. Only landscapes with kind seeds have an engine.
package engine

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

// Find returns the container engine of a landscape: the engine that the landscape was made with, whatever the environment
// says today. A landscape without containers gets the engine that the environment leads to. An engine that has moved is
// followed if the environment leads to it.
func Find(ctx context.Context, landscape string, made store.Engine) (*containers.Engine, error) {
	if made.Name == "" {
		return containers.Detect(ctx)
	}
	endpoint := containers.Endpoint(made)
	engine, err := containers.Open(ctx, endpoint)
	if err == nil {
		return engine, nil
	}
	if other, detectErr := containers.Detect(ctx); detectErr == nil {
		if _, inspectErr := other.Inspect(ctx, cluster.NodeName(ClusterName(landscape))); inspectErr == nil {
			return other, nil
		}
	}
	return nil, fmt.Errorf("the landscape has its containers at %s: %w\nif it has moved, let the environment lead there", endpoint, err)
}

// FindNoted is Find for a landscape whose store is open.
func FindNoted(ctx context.Context, landscape string, s *store.Store) (*containers.Engine, error) {
	made, _, err := s.Engine()
	if err != nil {
		return nil, err
	}
	return Find(ctx, landscape, made)
}

// ClusterName is what "kind get clusters" shows for the seed of a landscape.
func ClusterName(landscape string) string { return "gardener-" + landscape }

// Note writes the engine to the store. Call it before anything is made with the engine.
func Note(s *store.Store, engine *containers.Engine) error {
	if err := s.SetEngine(store.Engine(engine.Endpoint())); err != nil {
		return fmt.Errorf("note the container engine: %w", err)
	}
	return nil
}

// Stored is the engine that a landscape was made with. It is empty if the landscape has none, or none yet.
func Stored(p paths.Paths) (store.Engine, error) {
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

// Ignored says which variables of the environment lead to another container engine than the one that the landscape was made
// with, and are therefore ignored. It is empty if there is no contradiction.
func Ignored(p paths.Paths) string {
	made, err := Stored(p)
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
