package etcd

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReserve(t *testing.T) {
	room := &reserve{dir: t.TempDir()}
	path := filepath.Join(room.dir, "member", "snap", "db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-5 room is reserved for the database and its next growth", func(t *testing.T) {
		for _, size := range []int64{1 << 20, 3 << 20} { // holes
			if err := os.Truncate(path, size); err != nil {
				t.Fatal(err)
			}
			if err := room.keep(); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if taken := info.Sys().(*syscall.Stat_t).Blocks * 512; info.Size() != size || taken < size+reserveBytes {
				t.Errorf("a database of %d bytes has %d bytes and takes %d of the disk", size, info.Size(), taken)
			}
		}
	})
}
