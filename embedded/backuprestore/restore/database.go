package restore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/pkg/v3/traceutil"
	"go.etcd.io/etcd/server/v3/lease"
	"go.etcd.io/etcd/server/v3/lease/leasepb"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"

	bolt "go.etcd.io/bbolt"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/delta"
)

// database is etcd's storage without its server. Changes get the revisions they had.
type database struct {
	backend backend.Backend
	store   mvcc.KV
}

// openDatabase opens a database. It examines all pages first, because etcd's storage panics at damage. What is changed is not synced to
// the disk before adopt does that.
func openDatabase(path string) (_ *database, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v", errDamaged, cause)
		}
	}()
	if err := examine(path); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	out := &database{backend: openBackend(path)}
	out.store = mvcc.NewStore(zap.NewNop(), out.backend, &lease.FakeLessor{}, mvcc.StoreConfig{})
	return out, nil
}

// openBackend opens or makes a database. What is written is not synced to the disk.
func openBackend(path string) backend.Backend {
	config := backend.DefaultBackendConfig(zap.NewNop())
	config.Path, config.UnsafeNoFsync = path, true
	return backend.New(config)
}

func examine(path string) error {
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		var found error
		for err := range tx.Check() {
			found = err
		}
		return found
	})
}

func (d *database) close() {
	_ = d.store.Close()
	_ = d.backend.Close()
}

func (d *database) revision() int64 { return d.store.Rev() }

// apply adds the changes of a delta that the database does not have. Changes of one revision are one transaction, as they were.
func (d *database) apply(file string) error {
	in, err := os.Open(filepath.Clean(file))
	if err != nil {
		return err
	}
	defer in.Close()
	var pending []*mvccpb.Event
	leases := map[int64]int64{}
	err = delta.Read(in, delta.Contents{
		Event: func(event *mvccpb.Event) error {
			if event.Kv.ModRevision <= d.revision() {
				return nil // the full snapshot was taken a little later than its name says
			}
			if len(pending) > 0 && pending[0].Kv.ModRevision != event.Kv.ModRevision {
				if err := d.commit(pending); err != nil {
					return err
				}
				pending = pending[:0]
			}
			pending = append(pending, event)
			return nil
		},
		Lease: func(id, ttl int64) error { leases[id] = ttl; return nil },
	})
	if err == nil && len(pending) > 0 {
		err = d.commit(pending)
	}
	d.addLeases(leases)
	d.backend.ForceCommit()
	return err
}

func (d *database) commit(events []*mvccpb.Event) error {
	revision := events[0].Kv.ModRevision
	if revision != d.revision()+1 {
		return fmt.Errorf("%w: revision %d follows %d", errDamaged, revision, d.revision())
	}
	txn := d.store.Write(traceutil.TODO())
	defer txn.End()
	for _, event := range events {
		if event.Type == mvccpb.PUT {
			txn.Put(event.Kv.Key, event.Kv.Value, lease.LeaseID(event.Kv.Lease))
			continue
		}
		if n, _ := txn.DeleteRange(event.Kv.Key, nil); n != 1 {
			return errors.Join(errDamaged, fmt.Errorf("revision %d deletes a key that does not exist", revision))
		}
	}
	return nil
}

// addLeases grants leases that the full snapshot does not know. Without them their keys would stay for ever.
func (d *database) addLeases(leases map[int64]int64) {
	tx := d.backend.BatchTx()
	tx.LockOutsideApply()
	defer tx.Unlock()
	schema.UnsafeCreateLeaseBucket(tx)
	for id, ttl := range leases {
		if schema.MustUnsafeGetLease(tx, id) == nil {
			schema.MustUnsafePutLease(tx, &leasepb.Lease{ID: id, TTL: ttl})
		}
	}
}
