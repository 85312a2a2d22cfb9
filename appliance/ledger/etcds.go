package ledger

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/validate"
)

// lostEtcds compares the data of etcds with the ledger.
func lostEtcds(p paths.Paths, ledger store.Ledger) (losses []loss) {
	for _, name := range slices.Sorted(maps.Keys(ledger.Etcds)) {
		dir := p.Etcd(name)
		what := ""
		err := validate.Dir(dir, validate.Sanity)
		if errors.Is(err, validate.ErrMissing) {
			what = " has no data"
		} else if err != nil {
			what = fmt.Sprintf(" cannot be used (%v)", err)
		} else if cluster, err := validate.Cluster(dir); err != nil {
			what = fmt.Sprintf(" cannot be used (%v)", err)
		} else if cluster != ledger.Etcds[name] {
			what = " has the data of another cluster"
		}
		if what == "" {
			continue
		}
		losses = append(losses, loss{what: strings.TrimSuffix(relative(p, dir), "/") + what,
			without: fmt.Sprintf("all objects in the cluster %q are lost", strings.TrimPrefix(name, "etcd-")), copied: restored(p, name)})
	}
	return losses
}

// restored is the command that restores an etcd from its snapshots, or empty if there are none.
func restored(p paths.Paths, name string) string {
	if !hasFiles(filepath.Join(p.Snapshots(), name)) {
		return ""
	}
	return "gardener etcd restore " + name + " --state-dir " + paths.Quoted(p.Root())
}
