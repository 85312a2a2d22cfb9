package state

import (
	"os"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

// ours are the entries that a landscape makes in its state directory. The store comes first.
var ours = []string{"appliance.db", "lock", "run", "logs", "pki", "etcd", "kubeconfigs", "nodes", "dns", "backups", "volumes", "images", "seeds"}

// OnlyOurs reports whether the state directory holds nothing but what a landscape makes there.
func OnlyOurs(p paths.Paths) bool {
	entries, err := os.ReadDir(p.Root())
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return !slices.Contains(ours, entry.Name()) })
}
