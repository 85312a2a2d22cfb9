// Package restore makes the data directory of an etcd from its snapshots.
package restore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// Config of a restoration.
type Config struct {
	Store *store.Store
	// Dir is the data directory. It must not exist.
	Dir string
	// Name, PeerURLs, Cluster and Token are etcd's flags name, initial-advertise-peer-urls, initial-cluster and
	// initial-cluster-token.
	Name     string
	PeerURLs []string
	Cluster  string
	Token    string
	Log      logr.Logger
}

// ErrNothing means that there is no snapshot.
var ErrNothing = errors.New("the store has no full snapshot")

// Result describes the snapshots that a restoration used.
type Result struct {
	// From is the full snapshot and the deltas that were applied.
	From snapshot.Chain
	// Refused are the damaged snapshots, and older ones whose key is missing, with the reasons.
	Refused map[string]error
	// Revision is the last revision of the backup. The etcd continues with a revision that is a billion higher than that, and than those of all snapshots.
	Revision int64
}

// Run restores the newest data that are undamaged. It tries the newest full snapshot first. If a full snapshot is damaged, Run uses
// the one before. If a delta is damaged, Run applies neither that delta nor later ones. It does not delete anything. A store that
// cannot be read is an error, and so is a snapshot whose key is missing, unless a newer full snapshot is restored already.
func Run(ctx context.Context, config Config) (Result, error) {
	all, err := config.Store.List(ctx)
	if err != nil {
		return Result{}, err
	}
	result := Result{Refused: map[string]error{}}
	chains := snapshot.Chains(all)
	if len(chains) == 0 {
		return result, ErrNothing
	}
	work := config.Dir + ".part"
	defer os.RemoveAll(work)
	best := candidate{}
	for i, chain := range chains {
		if best.done && (chain.Full.Generation < best.chain.Full.Generation || chain.End() <= best.revision) {
			break // an older full snapshot has nothing newer
		}
		dir := filepath.Join(work, fmt.Sprint(i))
		made, err := build(ctx, config.Store, chain, dir)
		if made.refused != "" {
			result.Refused[made.refused] = made.reason
			config.Log.Error(made.reason, "A snapshot is damaged", "snapshot", made.refused)
		}
		if best.done && errors.Is(err, encryption.ErrKey) {
			result.Refused[chain.Full.Key()] = err
			config.Log.Error(err, "An older snapshot is left out, since its key is missing")
			_ = os.RemoveAll(dir)
			continue
		}
		if err != nil {
			return result, err
		}
		if made.done && (!best.done || made.revision > best.revision) {
			_ = os.RemoveAll(filepath.Dir(best.database))
			best = made
		} else {
			_ = os.RemoveAll(dir)
		}
		if best.done && made.refused == "" {
			break
		}
	}
	if !best.done {
		return result, fmt.Errorf("%d full snapshots are all damaged", len(chains))
	}
	result.From, result.Revision = best.chain, best.revision
	data := filepath.Join(work, "data")
	if err := config.assemble(best.database, max(best.revision, highest(all))+revisionBump, data); err != nil {
		return result, fmt.Errorf("make data directory: %w", err)
	}
	if err := known.In(data).Write(all[len(all)-1]); err != nil { // also if it is damaged: what it had is lost
		return result, err
	}
	return result, atomicfile.Move(data, config.Dir)
}

// highest is the last revision of all snapshots, also of those that are damaged or belong to other chains.
func highest(all []snapshot.Snapshot) (revision int64) {
	for _, s := range all {
		revision = max(revision, s.End)
	}
	return revision
}
