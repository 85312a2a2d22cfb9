package state

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Drift is where a state directory differs from what the landscape has noted.
type Drift struct {
	// Foreign are entries that the landscape has not made, and that a purge leaves.
	Foreign []string
	// Forgotten are directories of seeds that the landscape does not know.
	Forgotten []string
	// Left are processes of a landscape that does not run. The next start, and a purge, end them.
	Left []int
}

// Drifted looks for drift. running says that the landscape runs.
func Drifted(p paths.Paths, s *store.Store, running bool) (Drift, error) {
	var d Drift
	entries, err := os.ReadDir(p.Root())
	if err != nil {
		return d, err
	}
	for _, entry := range entries {
		if !slices.Contains(ours, entry.Name()) && !atomicfile.IsTemporary(entry.Name()) {
			d.Foreign = append(d.Foreign, entry.Name())
		}
	}
	known, err := s.Seeds()
	if err != nil {
		return d, err
	}
	dirs, err := os.ReadDir(p.Seed("").Root())
	if err != nil && !os.IsNotExist(err) {
		return d, err
	}
	for _, dir := range dirs {
		if !slices.ContainsFunc(known, func(seed store.Seed) bool { return seed.Name == dir.Name() }) {
			d.Forgotten = append(d.Forgotten, filepath.Join("seeds", dir.Name()))
		}
	}
	if !running {
		d.Left = append(processesBelow(p.Node("")), processesBelow(p.Seed("").Root())...)
	}
	return d, nil
}

// TakenPorts are the ports of a landscape that does not run, at which somebody else listens. frontDoor is the name of the one that its users know.
func TakenPorts(s *store.Store, frontDoor string) (taken []string, door bool, _ error) {
	all, err := store.Ports(s)
	for name, port := range all {
		if port != 0 && Probe(fmt.Sprintf("%s:%d", localhost, port)) != nil {
			taken = append(taken, fmt.Sprintf("%d (%s)", port, name))
			door = door || name == frontDoor
		}
	}
	slices.Sort(taken)
	return taken, door, err
}
