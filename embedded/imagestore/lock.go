package imagestore

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	shared    = unix.LOCK_SH // add images
	exclusive = unix.LOCK_EX // remove content that no name refers to
)

// lock waits until no process holds the store in a way that excludes this one. The kernel unlocks it if the process ends.
func (s *Store) lock(how int) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(s.dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock image store: %w", err)
	}
	for {
		err = unix.Flock(int(file.Fd()), how)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock image store: %w", err)
	}
	return func() { _ = file.Close() }, nil
}
