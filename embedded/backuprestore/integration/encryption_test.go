package integration

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// keyring is the Secret of a store with keys, as files.
type keyring struct {
	t   *testing.T
	dir string
}

func newKeyring(t *testing.T, keys ...*age.X25519Identity) keyring {
	k := keyring{t, t.TempDir()}
	if len(keys) > 0 {
		k.set(keys...)
	}
	return k
}

// set replaces the keys.
func (k keyring) set(keys ...*age.X25519Identity) {
	k.t.Helper()
	var text strings.Builder
	for _, key := range keys {
		text.WriteString(key.String() + "\n")
	}
	must(k.t, atomicfile.Write(filepath.Join(k.dir, encryption.Key), []byte(text.String()), 0o600))
}

func newKey(t *testing.T) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	must(t, err)
	return key
}

// sealed are the names of the encrypted snapshots of a member.
func (m *member) sealed() (count int) {
	for _, s := range m.snapshots() {
		if s.Encrypted {
			count++
		}
	}
	return count
}

// lose kills the member and removes its data.
func (m *member) lose() {
	m.end(syscall.SIGKILL)
	must(m.t, os.RemoveAll(m.data()))
}

// refuses checks that the member ends without new data, and returns what it logs then.
func (m *member) refuses() string {
	m.t.Helper()
	before, err := os.ReadFile(filepath.Join(m.dir, "log"))
	must(m.t, err)
	m.launch()
	if err := m.process.Wait(); err == nil {
		m.t.Error("it ended without an error")
	}
	m.process = nil
	if _, err := os.Stat(m.data()); err == nil {
		m.t.Error("it made new data")
	}
	log, err := os.ReadFile(filepath.Join(m.dir, "log"))
	must(m.t, err)
	return string(log[len(before):])
}

// TestEncryption switches encryption on, replaces the key, loses keys and damages snapshots. Each time the etcd comes back with what was backed up, or says
// which key is missing.
func TestEncryption(t *testing.T) {
	first, second := newKey(t), newKey(t)
	ring, source := newKeyring(t), newKeyring(t)
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--compression=none", "--store-credentials="+ring.dir, "--source-store-credentials="+source.dir)
	m.start()
	written := 0
	put := func(t *testing.T) map[string]string {
		t.Helper()
		written++
		_, err := m.etcd.Put(t.Context(), fmt.Sprint("key-", written), strings.Repeat("readable", 100))
		must(t, err)
		return m.contents()
	}
	comesBack := func(t *testing.T, want map[string]string) {
		t.Helper()
		m.start()
		if diff := cmp.Diff(want, m.contents()); diff != "" {
			t.Errorf("contents (-want +got):\n%s", diff)
		}
	}
	put(t)
	m.take("full")
	put(t)
	m.take("delta")

	t.Run("ETC-10 keys that cannot be read stop snapshots, and no restoration of what is not encrypted", func(t *testing.T) {
		path := filepath.Join(ring.dir, encryption.Key)
		must(t, os.WriteFile(path, []byte("no key"), 0o600))
		want, before := put(t), len(m.snapshots())
		if said, err := m.get("/snapshot/delta"); err == nil || len(m.snapshots()) != before {
			t.Errorf("a snapshot is made: %s", said)
		}
		must(t, os.Remove(path))
		m.take("delta")
		must(t, os.WriteFile(path, []byte("no key"), 0o600))
		m.lose()
		comesBack(t, want)
		must(t, os.Remove(path))
		m.take("full")
	})
	t.Run("ETC-10 a key without a restart encrypts from now on, and snapshots from before are restored with those after", func(t *testing.T) {
		if n := m.sealed(); n > 0 {
			t.Fatalf("%d snapshots are encrypted without a key", n)
		}
		ring.set(first)
		want := put(t)
		m.take("delta")
		if n := m.sealed(); n != 1 {
			t.Errorf("%d snapshots are encrypted", n)
		}
		m.lose()
		comesBack(t, want)
	})
	t.Run("ETC-10 full and delta snapshots are encrypted and restored", func(t *testing.T) {
		m.take("full")
		want := put(t)
		m.take("delta")
		for _, kind := range []snapshot.Kind{snapshot.Full, snapshot.Delta} {
			made := last(t, m, kind)
			content, err := os.ReadFile(m.path(made))
			must(t, err)
			if !made.Encrypted || !bytes.HasPrefix(content, []byte("age-encryption.org/v1\n")) || bytes.Contains(content, []byte("readable")) {
				t.Errorf("%s is not encrypted", made.Key())
			}
		}
		m.lose()
		comesBack(t, want)
	})
	t.Run("ETC-10 without the key, or with another one, the etcd does not begin and the key is named", func(t *testing.T) {
		want := put(t)
		m.take("delta")
		m.lose()
		for name, change := range map[string]func(){
			"another key": func() { ring.set(second) },
			"no key":      func() { must(t, os.Remove(filepath.Join(ring.dir, encryption.Key))) },
		} {
			change()
			if said := m.refuses(); !strings.Contains(said, first.Recipient().String()) {
				t.Errorf("%s: the log does not name the missing key: %s", name, said)
			}
		}
		ring.set(first)
		comesBack(t, want)
	})
	t.Run("ETC-10 a second key is used after the first, which is no longer needed once a full snapshot was made", func(t *testing.T) {
		ring.set(second, first)
		want := put(t)
		m.take("delta")
		m.lose()
		comesBack(t, want)
		ring.set(second)
		m.take("full")
		want = put(t)
		m.take("delta")
		m.lose()
		comesBack(t, want)
	})
	t.Run("MIG-17 the key of the store that snapshots come from restores them", func(t *testing.T) {
		want := put(t)
		m.take("delta")
		m.lose()
		ring.set(first)
		source.set(second)
		comesBack(t, want)
		m.eventually("a full snapshot by itself, which needs no key of the source", func() error {
			said, err := m.get("/snapshot/latest")
			if err == nil && !strings.Contains(said, `"ownKeys":true`) {
				err = errors.New(said)
			}
			return err
		})
		must(t, os.Remove(filepath.Join(source.dir, encryption.Key)))
		m.lose()
		comesBack(t, want)
	})
	t.Run("ETC-10 a damaged full snapshot is refused, and the one before is used with all deltas", func(t *testing.T) {
		put(t)
		m.take("full")
		want := put(t)
		m.take("delta")
		m.lose()
		damage(t, m.path(last(t, m, snapshot.Full)))
		comesBack(t, want)
	})
	t.Run("ETC-10 a delta that is cut off is refused, and all before it is there", func(t *testing.T) {
		m.take("full")
		want := m.contents()
		put(t)
		m.take("delta")
		m.lose()
		path := m.path(last(t, m, snapshot.Delta))
		info, err := os.Stat(path)
		must(t, err)
		must(t, os.Truncate(path, info.Size()-1))
		comesBack(t, want)
	})
	log, err := os.ReadFile(filepath.Join(m.dir, "log"))
	must(t, err)
	for _, key := range []*age.X25519Identity{first, second} {
		if secret := key.String()[20:40]; strings.Contains(string(log), secret) || strings.Contains(strings.Join(m.flags, " "), secret) {
			t.Error("the log or an argument has a key")
		}
	}
}
