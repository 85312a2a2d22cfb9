package unborn

import (
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/schema"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
)

// directory is the data directory of a member that was killed after it stored this in its log.
func directory(t *testing.T, state raftpb.HardState, entries ...raftpb.Entry) string {
	t.Helper()
	dir := t.TempDir()
	snap := filepath.Join(dir, "member", "snap")
	if err := os.MkdirAll(snap, 0o700); err != nil {
		t.Fatal(err)
	}
	db := backend.NewDefaultBackend(zap.NewNop(), filepath.Join(snap, "db"))
	tx := db.BatchTx()
	tx.Lock()
	tx.UnsafeCreateBucket(schema.Meta)
	tx.UnsafeCreateBucket(schema.Key)
	tx.Unlock()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := wal.Create(zap.NewNop(), filepath.Join(dir, "member", "wal"), []byte("member"))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > 0 || state != (raftpb.HardState{}) {
		if err := log.Save(state, entries); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDiscard(t *testing.T) {
	joined := raftpb.Entry{Term: 1, Index: 1, Type: raftpb.EntryConfChange}
	for name, tc := range map[string]struct {
		dir  string
		want bool
	}{
		"APP-3 a log without anything in it":         {directory(t, raftpb.HardState{}), true},
		"APP-3 a log whose first entry is undecided": {directory(t, raftpb.HardState{}, joined), true},
		"APP-3 a member that has joined":             {directory(t, raftpb.HardState{Term: 1, Commit: 1}, joined), false},
		"APP-3 a member that has voted":              {directory(t, raftpb.HardState{Term: 1, Vote: 7}), false},
		"APP-3 a member that knows a later term":     {directory(t, raftpb.HardState{Term: 2}), false},
		"APP-3 a directory without data":             {t.TempDir(), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Discard(tc.dir)
			if err != nil || got != tc.want {
				t.Fatalf("%v, %v", got, err)
			}
			_, err = os.Stat(filepath.Join(tc.dir, "member"))
			if gone := os.IsNotExist(err); tc.want != gone && name != "APP-3 a directory without data" {
				t.Errorf("the data are gone: %v", gone)
			}
		})
	}
	t.Run("APP-3 data that another process has open", func(t *testing.T) {
		dir := directory(t, raftpb.HardState{})
		db := backend.NewDefaultBackend(zap.NewNop(), filepath.Join(dir, "member", "snap", "db"))
		defer func() { _ = db.Close() }()
		if got, err := Discard(dir); got || err != nil {
			t.Errorf("%v, %v", got, err)
		}
	})
}
