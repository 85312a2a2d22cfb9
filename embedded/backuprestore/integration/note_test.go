package integration

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// unwritable puts something in the place of the note that no file can replace, and that cannot be read. It works for root, too.
func unwritable(t *testing.T, data string) {
	t.Helper()
	note := filepath.Join(data, "member", "newest-snapshot")
	must(t, os.RemoveAll(note))
	must(t, os.MkdirAll(filepath.Join(note, "taken"), 0o700))
}

// TestUnwritableNote backs up etcds whose note of the newest snapshot cannot be written.
func TestUnwritableNote(t *testing.T) {
	t.Run("ETC-10 what is written after the data directory was removed is backed up when the process ends", func(t *testing.T) {
		m := newMember(t)
		m.flags = append(m.stored(), "--delta-period=1h")
		m.start()
		m.write("before")
		m.take("full")
		must(t, os.RemoveAll(m.data()))
		m.write("while it runs")
		m.take("delta")
		want := m.write("last")
		m.end(syscall.SIGTERM)
		must(t, os.RemoveAll(m.data())) // if etcd has made something again
		m.start()
		m.has(want)
	})
	t.Run("ETC-10 snapshots are stored without their note", func(t *testing.T) {
		m := newMember(t)
		m.flags = append(m.stored(), "--delta-period=1h")
		m.start()
		m.write("before")
		m.take("full")
		m.end(syscall.SIGTERM)
		unwritable(t, m.data())
		killed := filepath.Join(m.data(), "member", ".newest-snapshot.tmp-123")
		must(t, os.WriteFile(killed, nil, 0o600))
		m.start()
		if _, err := os.Stat(killed); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a temporary note is left: %v", err)
		}
		m.write("one")
		m.take("delta")
		m.take("full")
		want := m.write("two")
		m.take("delta")
		m.comesBack(want)
	})
	t.Run("ETC-10 final snapshots are stored without their note, and in one generation", func(t *testing.T) {
		m := newMember(t)
		m.start()
		unwritable(t, m.data())
		opened, err := store.Open(t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: m.backups})
		must(t, err)
		defer opened.Close()
		s := snapshotter.New(snapshotter.Config{
			Client: m.etcd, Endpoint: "http://" + m.client, Store: opened, SpoolDir: t.TempDir(), Known: known.In(m.data()), Timeout: time.Minute,
			Leads: func() bool { return true }, Log: logr.Discard(),
		})
		for _, value := range []string{"one", "two"} {
			m.write(value)
			made, err := s.TakeFinal(t.Context())
			must(t, err)
			if made.Generation != 0 {
				t.Errorf("the final snapshot is %s", made.Key())
			}
		}
	})
}
