package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// write replaces the text with the keys.
func (k keyring) write(text string) {
	k.t.Helper()
	must(k.t, atomicfile.Write(filepath.Join(k.dir, encryption.Key), []byte(text), 0o600))
}

// sealedMember is a member whose store has keys, and those of another store.
func sealedMember(t *testing.T) (m *member, own, source keyring) {
	own, source = newKeyring(t), newKeyring(t)
	m = newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--compression=none", "--store-credentials="+own.dir, "--source-store-credentials="+source.dir)
	return m, own, source
}

func TestKeysThatChange(t *testing.T) {
	t.Run("ETC-10 a key that is gone from the ring does not take back a restoration from a newer full snapshot", func(t *testing.T) {
		m, ring, _ := sealedMember(t)
		first, second := newKey(t), newKey(t)
		ring.set(first)
		m.start()
		m.write("before")
		m.take("full")
		ring.set(second, first)
		want := m.write("rotated")
		m.take("full")
		ring.set(second)
		m.write("cut off")
		m.take("delta")
		m.lose()
		path := m.path(last(t, m, snapshot.Delta))
		info, err := os.Stat(path)
		must(t, err)
		must(t, os.Truncate(path, info.Size()-1))
		m.start()
		m.has(want)
	})
	t.Run("MIG-17 keys of the source that cannot be read stop no snapshots, and no restoration that does without them", func(t *testing.T) {
		m, ring, source := sealedMember(t)
		first, second := newKey(t), newKey(t)
		ring.set(first)
		source.write("no key")
		m.start()
		want := m.write("kept")
		m.take("full")
		m.lose()
		m.start()
		m.has(want)
		ring.set(second)
		m.take("full")
		m.lose()
		ring.set(first)
		if said := m.refuses(); !strings.Contains(said, second.Recipient().String()) || !strings.Contains(said, "keys of the source") {
			t.Errorf("the log names neither the missing key nor the mistake of the source: %s", said)
		}
	})
	t.Run("ETC-10 after encrypted snapshots none is stored as it is, unless the Secret says so", func(t *testing.T) {
		m, ring, _ := sealedMember(t)
		key := newKey(t)
		ring.set(key)
		m.start()
		m.write("sealed")
		m.take("full")
		must(t, os.Remove(filepath.Join(ring.dir, encryption.Key)))
		want := m.write("open")
		before := len(m.snapshots())
		if said, err := m.get("/snapshot/full"); err == nil || !strings.Contains(err.Error(), "encryptionKey: none") {
			t.Errorf("it is stored: %s, %v", said, err)
		}
		if n := len(m.snapshots()); n != before {
			t.Errorf("%d snapshots are stored as they are", n-before)
		}
		ring.write("none\n" + key.String())
		m.eventually("a delta is stored as it is", func() error { _, err := m.get("/snapshot/delta"); return err })
		m.lose()
		m.start()
		m.has(want)
		m.take("full")
		if full := last(t, m, snapshot.Full); full.Encrypted {
			t.Errorf("%s is encrypted", full.Key())
		}
	})
}
