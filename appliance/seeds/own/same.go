package own

import (
	"fmt"

	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// sameCluster refuses to make a cluster anew that was ready once: the Seed and its shoots would be in a cluster that knows nothing
// of them.
func sameCluster(name string, noted store.Seed, p paths.Paths) error {
	if noted.Cluster == "" {
		return nil
	}
	found, err := state.StoredIdentity(p)
	if err == nil && found.ID == noted.Cluster {
		return nil
	}
	if err == nil && found.ID != "" {
		err = fmt.Errorf("it belongs to %q, not %q", found.ID, noted.Cluster)
	}
	loss := ledger.LostSeed(name, p, err)
	return fmt.Errorf("%w (%s)", loss, loss.Cure)
}

// noteCluster notes the identity of the cluster of a seed that is ready.
func noteCluster(record *record, p paths.Paths) error {
	noted, known, err := record.get()
	if err != nil || !known || noted.Cluster != "" {
		return err
	}
	found, err := state.StoredIdentity(p)
	if err != nil {
		return err
	}
	return record.change(func(seed *store.Seed) { seed.Cluster = found.ID })
}

// why returns the reason for which the process of a cluster ended and, if its state is lost, what to do.
func why(p paths.Paths) error {
	err := state.LastFailure(p)
	if loss, ok := ledger.Lost(err); ok {
		return fmt.Errorf("%w (%s)", err, loss.Cure)
	}
	return err
}
