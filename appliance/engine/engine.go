// Package engine finds the container engine of a landscape: the engine that the containers of the landscape were made with.
// It also removes these containers. Only landscapes with kind seeds have an engine.
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

// Find returns the container engine that the landscape was made with, even if the environment names another one today. A
// landscape without containers gets the engine that the environment names. If the engine has moved to another endpoint, the
// environment has to name the new endpoint.
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
	return nil, fmt.Errorf("the landscape has its containers at %s: %w\nif the engine has moved, set its variables (such as DOCKER_HOST) to the new endpoint", endpoint, err)
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

// FurtherClusterName is ClusterName of a further seed. Names of landscapes have no dots, so that no other cluster has this name.
func FurtherClusterName(landscape, seed string) string { return ClusterName(landscape) + "." + seed }

// Note writes the engine to the store. Call it before the engine makes anything.
func Note(s *store.Store, engine *containers.Engine) error {
	if err := s.SetEngine(store.Engine(engine.Endpoint())); err != nil {
		return fmt.Errorf("note the container engine: %w", err)
	}
	return nil
}

// Stored is the engine that a landscape was made with. It is empty if the landscape has no engine yet.
func Stored(p paths.Paths) (store.Engine, error) {
	s, err := store.Read(p.Store())
	if errors.Is(err, os.ErrNotExist) {
		return store.Engine{}, nil
	}
	if err != nil {
		return store.Engine{}, err
	}
	defer s.Close()
	engine, _, err := s.Engine()
	return engine, err
}

// Ignored lists the variables of the environment that name another container engine than the one that the landscape was made
// with. These variables are ignored. The list is empty if there is no contradiction.
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
	return fmt.Sprintf("%s is ignored: the landscape was made with %s", strings.Join(contradictions, ", "), endpoint)
}
