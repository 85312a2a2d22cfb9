package backup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// sealedSnapshots gives the backups of the seed a key, as an operator does, and loses the data of an etcd then.
func sealedSnapshots(t *testing.T, f *fixture) {
	f.reader.Follow(t, "encryption of snapshots", follow.Steps(t, "docs/architecture/storage.md", "e2e/backup", "Encryption of snapshots"))
	f.write("kept-sealed")
	f.Eventually(4*time.Minute, "a full snapshot is encrypted", func() (bool, string) { // the kubelet brings the key into the pod
		r := f.Run("shoot", "backup", "local", "-n", "garden-local", "--full")
		chains := snapshot.Chains(f.snapshots())
		return r.Code == 0 && chains[0].Full.Encrypted, fmt.Sprint(r.Stdout, r.Stderr, chains[0].Full.Key())
	})
	f.backedUp(f.write("kept-after"))
	for _, s := range f.snapshots() {
		content, err := os.ReadFile(filepath.Join(f.store, "etcd-main", s.Key()))
		if err != nil || bytes.HasPrefix(content, []byte("age-encryption.org/v1\n")) != s.Encrypted {
			t.Errorf("ETC-10 %s: encrypted %v, %v", s.Key(), s.Encrypted, err)
		}
	}
	f.strike("etcd-main", func() {
		if err := os.RemoveAll(f.volume("etcd-main")); err != nil {
			t.Fatal(err)
		}
	})
	f.restored()
	f.has("kept-1", "kept-4", "kept-sealed", "kept-after")
}
