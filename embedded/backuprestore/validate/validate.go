// Package validate examines the data directory of an etcd before etcd starts. A restoration can repair damage that is found here. If
// etcd itself met the damage, it would end at each start.
package validate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/server/v3/etcdserver/api/snap"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.uber.org/zap"
)

// Mode is how thoroughly data are examined.
type Mode string

const (
	// Sanity examines the write-ahead log, and checks that the database can be opened. It takes milliseconds.
	Sanity Mode = "sanity"
	// Full also examines each page of the database. It reads the whole file.
	Full Mode = "full"
)

var (
	// ErrMissing means that there are no data.
	ErrMissing = errors.New("there are no data")
	// ErrCorrupt means that the data are damaged.
	ErrCorrupt = errors.New("the data are damaged")
)

// lockTimeout bounds the wait for another process that has the database open.
const lockTimeout = 10 * time.Second

// Dir examines the data directory. The error is ErrMissing, ErrCorrupt, or the reason why the data cannot be examined.
func Dir(dir string, mode Mode) error {
	walDir, snapDir := filepath.Join(dir, "member", "wal"), filepath.Join(dir, "member", "snap")
	database := filepath.Join(snapDir, "db")
	wals, err := has(walDir)
	if err != nil {
		return err
	}
	_, err = os.Stat(database)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	case err != nil && !wals:
		return ErrMissing
	case err != nil:
		return fmt.Errorf("%w: there is a write-ahead log without a database", ErrCorrupt)
	case !wals:
		return fmt.Errorf("%w: there is a database without a write-ahead log", ErrCorrupt)
	}
	if err := openDatabase(database, mode); err != nil {
		return err
	}
	return readLog(walDir, snapDir)
}

// has tells whether there are files of a write-ahead log.
func has(walDir string) (bool, error) {
	files, err := logFiles(walDir)
	return len(files) > 0, err
}

// logFiles are the names of the files of a write-ahead log, in their order. The name of the directory may have characters of patterns.
func logFiles(walDir string) ([]string, error) { return fs.Glob(os.DirFS(walDir), "*.wal") }

func openDatabase(path string, mode Mode) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: database: %v", ErrCorrupt, cause)
		}
	}()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout) || errors.Is(err, os.ErrPermission):
		return fmt.Errorf("open database: %w", err)
	case err != nil:
		return fmt.Errorf("%w: database: %w", ErrCorrupt, err)
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		if file, err := os.Stat(path); err != nil || file.Size() < tx.Size() {
			return errors.Join(fmt.Errorf("%w: database: its end is missing", ErrCorrupt), err) // reading there would end the process
		}
		if tx.Bucket(schema.Key.Name()) == nil && tx.Bucket(schema.Meta.Name()) == nil {
			return nil // etcd has died before it made its buckets
		}
		if mode != Full {
			return nil
		}
		var found error
		for err := range tx.Check() { // must be read to its end
			found = err
		}
		if found != nil {
			return fmt.Errorf("%w: database: %w", ErrCorrupt, found)
		}
		return nil
	})
}

// readLog reads the write-ahead log from the newest snapshot on. A last record that was cut off is no damage: it was never
// acknowledged.
func readLog(walDir, snapDir string) error {
	log := zap.NewNop()
	known, err := wal.ValidSnapshotEntries(log, walDir)
	if err != nil {
		return fmt.Errorf("%w: write-ahead log: %w", ErrCorrupt, err)
	}
	var from walpb.Snapshot
	newest, err := snap.New(log, snapDir).LoadNewestAvailable(known)
	switch {
	case err == nil:
		from.Index, from.Term = newest.Metadata.Index, newest.Metadata.Term
	case !errors.Is(err, snap.ErrNoSnapshot):
		return fmt.Errorf("%w: snapshots: %w", ErrCorrupt, err)
	}
	if _, err := wal.Verify(log, walDir, from); err != nil {
		return fmt.Errorf("%w: write-ahead log: %w", ErrCorrupt, err)
	}
	return nil
}
