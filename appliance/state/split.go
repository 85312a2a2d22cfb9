package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// The members of format 2: one for everything but events, one for the events of all clusters.
const (
	formerMain   = "etcd-main"
	formerEvents = "etcd-events"
)

// membersOfClusters are those of format 3, one for each cluster that a process may have. Their names are those of listeners.
var membersOfClusters = []string{"etcd-garden", "etcd-seed"}

// splitEtcd gives each cluster of the process its own copy of the data of the former etcd, which all clusters shared. Each etcd
// removes the keys of the others when it starts. Revisions stay as they are. Events, which live for an hour, are not kept.
func splitEtcd(p paths.Paths, listeners Listeners) error {
	former := p.Etcd(formerMain)
	if _, err := os.Stat(former); errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(p.Etcd(formerEvents))
	}
	for _, name := range membersOfClusters {
		if !slices.Contains(listeners.Local, name) {
			continue
		}
		if err := copyWhole(former, p.Etcd(name)); err != nil {
			return fmt.Errorf("copy the former etcd to %s: %w", name, err)
		}
	}
	return errors.Join(os.RemoveAll(former), os.RemoveAll(p.Etcd(formerEvents)))
}

// copyWhole copies a directory so that the copy exists as a whole or not at all. A copy that exists is kept.
func copyWhole(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	unfinished := to + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		return err
	}
	if err := copyTree(from, unfinished); err != nil {
		return errors.Join(err, os.RemoveAll(unfinished))
	}
	return atomicfile.Move(unfinished, to)
}
