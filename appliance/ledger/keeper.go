package ledger

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Keeper notes what exists, in the store and in the record. Its methods may be called from many goroutines.
type Keeper struct {
	paths     paths.Paths
	store     *store.Store
	landscape string
	mu        sync.Mutex // held while the ledger changes
}

// Keep copies the store now and after each change of it, and updates the record with it. Call it for a directory that has passed
// Check. The data of etcds that an older binary has left are noted when those etcds start.
func Keep(p paths.Paths, s *store.Store) (*Keeper, error) {
	id, _, err := s.Identity()
	if err != nil {
		return nil, err
	}
	k := &Keeper{paths: p, store: s, landscape: id.ID}
	if err := k.keep(); err != nil {
		return nil, err
	}
	s.OnChange(k.keep)
	return k, nil
}

// NoteKeys notes the keys that exist.
func (k *Keeper) NoteKeys() error {
	keys, err := presentKeys(k.paths)
	if err != nil {
		return err
	}
	return k.change(func(ledger *store.Ledger) { ledger.Keys = noted(ledger.Keys, keys) })
}

// NoteRotation notes the fingerprints that a key may have: during a change those of the former and of the new key. Without a fingerprint
// the key may be missing from now on.
func (k *Keeper) NoteRotation(file string, fingerprints ...string) error {
	may := alternatives(fingerprints)
	if ledger, _, err := k.store.Ledger(); err != nil || ledger.Keys[file] == may {
		return err
	}
	return k.change(func(ledger *store.Ledger) {
		ledger.Keys = maps.Clone(ledger.Keys)
		if ledger.Keys == nil {
			ledger.Keys = map[string]string{}
		}
		if ledger.Keys[file] = may; may == "" {
			delete(ledger.Keys, file)
		}
	})
}

// noted adds keys to those that are noted. What is noted stays: a key that changes meanwhile is refused by the next Check.
func noted(before, found map[string]string) map[string]string {
	all := maps.Clone(found)
	maps.Copy(all, before)
	return all
}

// NoteEtcd notes that an etcd has data, and the ID of its cluster.
func (k *Keeper) NoteEtcd(name, cluster string) error {
	return k.change(func(ledger *store.Ledger) {
		ledger.Etcds = maps.Clone(ledger.Etcds)
		if ledger.Etcds == nil {
			ledger.Etcds = map[string]string{}
		}
		ledger.Etcds[name] = cluster
	})
}

func (k *Keeper) change(change func(*store.Ledger)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	ledger, _, err := k.store.Ledger()
	if err != nil {
		return err
	}
	change(&ledger)
	return k.store.SetLedger(ledger)
}

// keep copies the store before it writes the record, so that the copy is never older than what the record demands.
func (k *Keeper) keep() error {
	seal, err := k.store.Seal()
	if err != nil {
		return err
	}
	ledger, _, err := k.store.Ledger()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.paths.LastGood()), 0o700); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	if err := atomicfile.WriteBy(k.paths.LastGood(), 0o600, k.store.Copy); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return record{Landscape: k.landscape, Store: seal, Ledger: ledger}.write(k.paths.Record())
}
