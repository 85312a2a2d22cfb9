package restore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	utilsnapshot "go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.etcd.io/etcd/server/v3/lease"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// revisionBump is what a restoration adds to the highest revision that is known. Clients may know revisions that were lost. They must never meet the
// same revision with other data, so they find their revision compacted and list anew. Snapshots are ordered by revision, too. etcd's manual advises a billion.
const revisionBump = 1_000_000_000

// assemble makes the data directory of the member from the database. The etcd continues after the revision. etcdutl's library would do that with a copy of the
// database, which takes as long as all the rest of a restoration. So it gets an empty database, and what it writes there about the member goes
// into the real one, which takes the place of the empty one.
func (c Config) assemble(database string, revision int64, dir string) error {
	empty := dir + ".empty"
	if err := makeEmpty(empty); err != nil {
		return err
	}
	err := utilsnapshot.NewV3(zap.NewNop()).Restore(utilsnapshot.RestoreConfig{
		SnapshotPath: empty, SkipHashCheck: true, OutputDataDir: dir,
		Name: c.Name, PeerURLs: c.PeerURLs, InitialCluster: c.Cluster, InitialClusterToken: c.Token,
	})
	if err != nil {
		return err
	}
	place := filepath.Join(dir, "member", "snap", "db")
	if err := adopt(database, place, revision); err != nil {
		return err
	}
	return atomicfile.Move(database, place)
}

// makeEmpty makes a database of an etcd that has nothing.
func makeEmpty(path string) error {
	db := openBackend(path)
	store := mvcc.NewStore(zap.NewNop(), db, &lease.FakeLessor{}, mvcc.StoreConfig{})
	return errors.Join(store.Close(), db.Close())
}

// adopt makes a database that of the member to which another one belongs, with a higher revision, before which all are compacted. It syncs the database
// to the disk.
func adopt(database, from string, revision int64) error {
	member, err := readMember(from)
	if err != nil {
		return err
	}
	db := openBackend(database)
	err = schema.NewMembershipBackend(zap.NewNop(), db).TrimMembershipFromBackend()
	if err == nil {
		member.write(db, revision)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	file, err := os.Open(filepath.Clean(database))
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// member is what the database of an etcd has about its cluster.
type member struct {
	members     []entry
	index, term uint64
}

type entry struct{ key, value []byte }

func readMember(path string) (member, error) {
	db := openBackend(path)
	tx := db.ReadTx()
	tx.RLock()
	var out member
	out.index, out.term = schema.UnsafeReadConsistentIndex(tx)
	err := tx.UnsafeForEach(schema.Members, func(key, value []byte) error {
		out.members = append(out.members, entry{slices.Clone(key), slices.Clone(value)})
		return nil
	})
	tx.RUnlock()
	return out, errors.Join(err, db.Close())
}

func (m member) write(db backend.Backend, revision int64) {
	tx := db.BatchTx()
	tx.LockOutsideApply()
	defer tx.Unlock()
	for _, entry := range m.members {
		tx.UnsafePut(schema.Members, entry.key, entry.value)
	}
	schema.UnsafeUpdateConsistentIndexForce(tx, m.index, m.term)
	tx.UnsafePut(schema.Key, mvcc.RevToBytes(mvcc.Revision{Main: revision}, mvcc.NewRevBytes()), []byte{})
	mvcc.UnsafeSetScheduledCompact(tx, revision)
}
