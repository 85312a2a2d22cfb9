package backup

import (
	"io/fs"
	"syscall"
)

// inode is a file, whatever its names are.
type inode struct{ device, number uint64 }

// several tells which file it is, if it has several names.
func several(info fs.FileInfo) (inode, bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known || stat.Nlink < 2 {
		return inode{}, false
	}
	return inode{uint64(stat.Dev), stat.Ino}, true
}
