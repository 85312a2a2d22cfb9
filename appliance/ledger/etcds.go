package ledger

import (
	"errors"
	"fmt"
	"maps"
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
			without: fmt.Sprintf("all objects in the cluster %q are lost", strings.TrimPrefix(name, "etcd-"))})
	}
	return losses
}
