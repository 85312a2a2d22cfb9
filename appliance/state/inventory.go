package state

import (
	"os"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

// ours are the entries of a state directory that a landscape makes. The store comes first.
var ours = []string{"appliance.db", "restoring.json", "paused.json", "bundle.json", "lock", "run", "logs", "pki", "etcd", "kubeconfigs", "settings", "nodes", "dns", "backups", "volumes", "images", "seeds", "binaries", "sandboxes", Upgrades, "last-good", "snapshots"}

// OnlyOurs reports whether the state directory contains only entries that a landscape makes.
func OnlyOurs(p paths.Paths) bool {
	entries, err := os.ReadDir(p.Root())
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return !slices.Contains(ours, entry.Name()) })
}
