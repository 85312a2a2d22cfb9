package etcd

import (
	"fmt"
	"os"
	"path/filepath"
)

// reserveBytes is by how much bbolt enlarges a database at a time.
const reserveBytes = 16 << 20

// reserve lets the file system keep room for the database of a member.
type reserve struct {
	dir  string // of the data
	size int64  // of the database that room was kept for
}

// keep lets the file system keep room for the database as it is and for its next growth. A database whose disk is full can then
// go on for a while: bbolt makes files with holes, and etcd ends the process when a hole cannot be filled.
func (r *reserve) keep() error {
	path := filepath.Join(r.dir, "member", "snap", "db")
	info, err := os.Stat(path)
	if err != nil || info.Size() <= r.size {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := keepRoom(file, info.Size()+reserveBytes); err != nil {
		return fmt.Errorf("reserve room for the database: %w", err)
	}
	r.size = info.Size()
	return nil
}
