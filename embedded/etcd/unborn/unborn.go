// Package unborn cures a member of an etcd whose process was killed while it made its data directory.
//
// A member first makes its write-ahead log, and then stores in it that it belongs to the cluster. If it is killed between the
// two, etcd takes it for a member of a cluster that it does not know: it waits for a leader for ever.
package unborn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.uber.org/zap"
)

// lockTimeout is how long another process may hold the database. The data then belong to that process.
const lockTimeout = time.Second

// bootstrapTerm is the term in which a member stores that it belongs to a new cluster.
const bootstrapTerm = 1

// Buckets and keys of etcd's database.
var (
	bucketMeta      = []byte("meta")
	bucketKey       = []byte("key")
	consistentIndex = []byte("consistent_index")
)

// Discard removes the data of a member in a data directory of etcd if the member was never part of its cluster, and reports
// whether it did. Such a member has acknowledged no write and has voted for nobody. Files that cannot be read are left to etcd, which
// reports what is wrong with them.
func Discard(dataDir string) (bool, error) {
	member := filepath.Join(dataDir, "member")
	logs := filepath.Join(member, "wal")
	database := filepath.Join(member, "snap", "db")
	if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) || !wal.Exist(logs) {
		return false, nil
	}
	db, err := bolt.Open(database, 0o600, &bolt.Options{Timeout: lockTimeout})
	if err != nil {
		return false, nil
	}
	defer func() { _ = db.Close() }()
	if !empty(db) || !undecided(logs) {
		return false, nil
	}
	if err := os.RemoveAll(member); err != nil {
		return false, fmt.Errorf("remove data of a member that was never part of its cluster: %w", err)
	}
	return true, nil
}

// empty reports whether nothing of the log has been applied to the database.
func empty(db *bolt.DB) bool {
	nothing := true
	err := db.View(func(tx *bolt.Tx) error {
		if meta := tx.Bucket(bucketMeta); meta != nil {
			if index := meta.Get(consistentIndex); len(index) == 8 {
				nothing = binary.BigEndian.Uint64(index) == 0
			}
		}
		if keys := tx.Bucket(bucketKey); keys != nil {
			if first, _ := keys.Cursor().First(); first != nil {
				nothing = false
			}
		}
		return nil
	})
	return err == nil && nothing
}

// undecided reports whether the log has neither a committed entry nor a vote.
func undecided(dir string) bool {
	log, err := wal.OpenForRead(zap.NewNop(), dir, walpb.Snapshot{})
	if err != nil {
		return false
	}
	defer func() { _ = log.Close() }()
	_, state, _, err := log.ReadAll()
	return err == nil && state.Commit == 0 && state.Vote == 0 && state.Term <= bootstrapTerm
}
