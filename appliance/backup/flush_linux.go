package backup

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// flush writes everything on the file system of a directory to the disk: one call for thousands of files.
func flush(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(opened.Fd())), opened.Close())
}
