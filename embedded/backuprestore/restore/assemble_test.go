package restore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"
	utilsnapshot "go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.etcd.io/etcd/pkg/v3/traceutil"
	"go.etcd.io/etcd/server/v3/etcdserver/api/membership"
	"go.etcd.io/etcd/server/v3/lease"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.uber.org/zap"
)

// made makes a database with some keys, and the members of a former cluster.
func made(t *testing.T, path string) (revision int64) {
	t.Helper()
	db := openBackend(path)
	kv := mvcc.NewStore(zap.NewNop(), db, &lease.FakeLessor{}, mvcc.StoreConfig{})
	for i := range 10 {
		txn := kv.Write(traceutil.TODO())
		txn.Put([]byte(fmt.Sprint("key-", i)), []byte("value"), lease.NoLease)
		txn.Put([]byte(fmt.Sprint("other-", i)), []byte("value"), lease.NoLease)
		txn.End()
	}
	members := schema.NewMembershipBackend(zap.NewNop(), db)
	members.MustCreateBackendBuckets()
	members.MustSaveMemberToBackend(&membership.Member{ID: 7, Attributes: membership.Attributes{Name: "former"}})
	tx := db.BatchTx()
	tx.LockOutsideApply()
	schema.UnsafeUpdateConsistentIndexForce(tx, 99, 9)
	tx.Unlock()
	revision = kv.Rev()
	if err := kv.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return revision
}

// content is all that a database has.
func content(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	out := map[string]string{}
	err = db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			out[string(name)] = ""
			return bucket.ForEach(func(key, value []byte) error {
				out[fmt.Sprintf("%s %x", name, key)] = fmt.Sprintf("%x", value)
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// files are the names of all files of a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRestorationIsThatOfEtcdutl(t *testing.T) {
	for name, cluster := range map[string]string{
		"one member":    "m0=http://localhost:2380",
		"three members": "m0=http://localhost:2380,m1=http://localhost:2381,m2=http://localhost:2382",
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			dir := t.TempDir()
			database := filepath.Join(dir, "db")
			revision := made(t, database)
			peers := []string{"http://localhost:2380"}
			theirs, ours := filepath.Join(dir, "theirs"), filepath.Join(dir, "ours")
			err := utilsnapshot.NewV3(zap.NewNop()).Restore(utilsnapshot.RestoreConfig{
				SnapshotPath: database, SkipHashCheck: true, OutputDataDir: theirs, Name: "m0", PeerURLs: peers, InitialCluster: cluster, InitialClusterToken: "token",
				RevisionBump: revisionBump, MarkCompacted: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			config := Config{Name: "m0", PeerURLs: peers, Cluster: cluster, Token: "token"}
			if err := config.assemble(database, revision+revisionBump, ours); err != nil {
				t.Fatal(err)
			}
			const db = "member/snap/db"
			if diff := cmp.Diff(content(t, filepath.Join(theirs, db)), content(t, filepath.Join(ours, db))); diff != "" {
				t.Errorf("database (-etcdutl +ours):\n%s", diff)
			}
			if diff := cmp.Diff(files(t, theirs), files(t, ours)); diff != "" {
				t.Errorf("files (-etcdutl +ours):\n%s", diff)
			}
			if _, err := os.Stat(database); err == nil {
				t.Error("the database was copied, not moved")
			}
		})
	}
}
