package etcd

import (
	"errors"
	"os"
	"syscall"
)

// keepSize is FALLOC_FL_KEEP_SIZE: the file does not become larger.
const keepSize = 1

// keepRoom does nothing on file systems that cannot reserve.
func keepRoom(file *os.File, size int64) error {
	err := syscall.Fallocate(int(file.Fd()), keepSize, 0, size)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}
