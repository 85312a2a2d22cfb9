package framework

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// ordinaryUser is a user and group ID that systems do not assign.
const ordinaryUser = 64321

// NewAsOrdinaryUser makes a landscape whose commands all run as an unprivileged user. The test must run as root.
func NewAsOrdinaryUser(t testing.TB) *Landscape {
	t.Helper()
	dir := publicDir(t)
	l := NewAs(t, &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}, dir)
	binary := filepath.Join(dir, "gardener") // the user cannot read the directory of the build
	if err := copyFile(l.Binary, binary); err != nil {
		t.Fatal(err)
	}
	l.Binary = binary
	for _, path := range []string{dir, binary} {
		if err := os.Chown(path, ordinaryUser, ordinaryUser); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		_ = target.Close()
		return err
	}
	return target.Close()
}
