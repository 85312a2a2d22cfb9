package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/local/cluster"
)

// NoClusterError is about a seed that has no kind cluster made by the landscape.
type NoClusterError struct{ Seed string }

func (e *NoClusterError) Error() string {
	return fmt.Sprintf("seed %q has no kind cluster of this landscape", e.Seed)
}

// Replace allows that the next start makes the kind clusters of these seeds once more, each empty, if their containers were removed. Nothing
// happens to containers that exist. first is the name of the first seed. The landscape must not run. The error is a NoClusterError if one
// of the seeds has no cluster; nothing is changed then.
func Replace(p paths.Paths, landscape, first string, seeds ...string) error {
	if len(seeds) == 0 {
		return nil
	}
	clusters, err := made(p)
	if err != nil {
		return err
	}
	var chosen []string
	for _, seed := range seeds {
		name := ClusterName(landscape)
		if seed != first {
			name = FurtherClusterName(landscape, seed)
		}
		if !slices.Contains(clusters, name) {
			return &NoClusterError{seed}
		}
		chosen = append(chosen, name)
	}
	s, err := store.Open(p.Store())
	if err != nil {
		return err
	}
	for _, name := range chosen {
		err = errors.Join(err, s.Inventory().NoteMade(name, cluster.Anew))
	}
	return errors.Join(err, s.Close())
}

// made are the kind clusters in the inventory.
func made(p paths.Paths) ([]string, error) {
	s, err := store.Read(p.Store())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	items, err := s.Inventory().Items()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, item := range items {
		if item.Kind == store.ItemCluster {
			names = append(names, item.ID)
		}
	}
	return names, nil
}
