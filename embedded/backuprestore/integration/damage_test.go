package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// TestDamage destroys one thing after the other. Each time the etcd comes back with what was backed up.
func TestDamage(t *testing.T) {
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h")
	m.start()
	put := func(n int) {
		_, err := m.etcd.Put(t.Context(), fmt.Sprintf("key-%d", n), strings.Repeat("v", 100*n))
		must(t, err)
	}
	put(1)
	m.take("full")
	put(2)
	m.take("delta")
	want := m.contents()
	comesBack := func(t *testing.T, want map[string]string) {
		t.Helper()
		m.start()
		if diff := cmp.Diff(want, m.contents()); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
	}

	t.Run("ETC-13 the server shows the snapshots and the state", func(t *testing.T) {
		body, err := m.get("/snapshot/latest")
		if err != nil || !strings.Contains(body, `"kind":"Full"`) || !strings.Contains(body, `"kind":"Incr"`) {
			t.Errorf("latest: %s, %v", body, err)
		}
		if body, err := m.get("/initialization/status"); err != nil || body != "Successful" {
			t.Errorf("initialization: %s, %v", body, err)
		}
		if body, err := m.get("/metrics"); err != nil || !strings.Contains(body, "etcdbr_snapshot_latest_revision") {
			t.Errorf("metrics: %s, %v", body, err)
		}
	})
	t.Run("ETC-10 the data directory is removed", func(t *testing.T) {
		m.end(syscall.SIGKILL)
		must(t, os.RemoveAll(m.data()))
		comesBack(t, want)
	})
	t.Run("ETC-10 clients that know lost revisions must list anew", func(t *testing.T) {
		status, err := m.etcd.Get(t.Context(), "key-1")
		must(t, err)
		if status.Header.Revision < 1_000_000_000 {
			t.Errorf("revision %d", status.Header.Revision)
		}
	})
	for _, file := range []string{"member/snap/db", "member/wal/*.wal"} {
		t.Run("ETC-10 "+file+" is damaged", func(t *testing.T) {
			put(len(want) + 1)
			m.take("delta")
			want = m.contents()
			m.end(syscall.SIGKILL)
			found, err := filepath.Glob(filepath.Join(m.data(), file))
			must(t, err)
			must(t, os.Truncate(found[0], 5000))
			comesBack(t, want)
			if _, err := os.Stat(m.data() + ".damaged"); err != nil {
				t.Errorf("the damaged data are not kept: %v", err)
			}
		})
	}
	t.Run("ETC-10 the newest full snapshot is damaged: the one before and all deltas are used", func(t *testing.T) {
		put(len(want) + 1)
		m.take("full")
		put(len(want) + 2)
		m.take("delta")
		want = m.contents()
		m.end(syscall.SIGKILL)
		must(t, os.RemoveAll(m.data()))
		damage(t, m.path(last(t, m, snapshot.Full)))
		comesBack(t, want)
	})
	t.Run("ETC-10 the last delta is damaged: all before it is there", func(t *testing.T) {
		m.take("full")
		before := m.contents()
		put(len(want) + 1)
		m.take("delta")
		m.end(syscall.SIGKILL)
		must(t, os.RemoveAll(m.data()))
		damage(t, m.path(last(t, m, snapshot.Delta)))
		comesBack(t, before)
	})
	t.Run("ETC-10 a store that cannot be read is no reason to start empty", func(t *testing.T) {
		want = m.contents()
		m.end(syscall.SIGKILL)
		must(t, os.RemoveAll(m.data()))
		bucket := filepath.Join(m.backups, "bucket")
		must(t, atomicfile.Move(bucket, bucket+".away"))
		must(t, os.WriteFile(bucket, nil, 0o600))
		m.launch()
		if err := m.process.Wait(); err == nil {
			t.Error("it ended without an error")
		}
		if _, err := os.Stat(m.data()); err == nil {
			t.Error("it made new data")
		}
		must(t, os.Remove(bucket))
		must(t, atomicfile.Move(bucket+".away", bucket))
		comesBack(t, want)
	})
	t.Run("ETC-10 the last changes are backed up when the process is told to end", func(t *testing.T) {
		put(99)
		want = m.contents()
		m.end(syscall.SIGTERM)
		must(t, os.RemoveAll(m.data()))
		comesBack(t, want)
	})
}

func TestWithoutStore(t *testing.T) {
	m := newMember(t)
	m.start()
	_, err := m.etcd.Put(t.Context(), "key", "value")
	must(t, err)
	t.Run("ETC-4 undamaged data stay", func(t *testing.T) {
		m.end(syscall.SIGKILL)
		m.start()
		if diff := cmp.Diff(map[string]string{"key": "value"}, m.contents()); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
		if _, err := m.get("/snapshot/full"); err == nil {
			t.Error("there is a snapshot without a store")
		}
	})
	t.Run("ETC-4 a damaged write-ahead log is found, and a new etcd begins", func(t *testing.T) {
		m.end(syscall.SIGKILL)
		found, err := filepath.Glob(filepath.Join(m.data(), "member/wal/*.wal"))
		must(t, err)
		content, err := os.ReadFile(found[0])
		must(t, err)
		copy(content[100:], "damage damage damage damage damage damage damage")
		must(t, os.WriteFile(found[0], content, 0o600))
		m.start()
		if got := m.contents(); len(got) != 0 {
			t.Errorf("contents %v", got)
		}
	})
}

func last(t *testing.T, m *member, kind snapshot.Kind) snapshot.Snapshot {
	t.Helper()
	var found snapshot.Snapshot
	for _, s := range m.snapshots() {
		if s.Kind == kind {
			found = s
		}
	}
	if found.Kind == "" {
		t.Fatalf("there is no snapshot of kind %s", kind)
	}
	return found
}
