package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
)

// openLocal opens a directory. It creates it, because its parent is the mount of the pod.
func openLocal(_ context.Context, config Config) (*blob.Bucket, func(string) error, error) {
	dir, err := filepath.Abs(filepath.Join(config.Dir, config.Container))
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite,
	})
	// Layout and prefixes have only characters that the driver does not escape.
	return bucket, func(key string) error { return settle(config.Dir, filepath.Join(dir, filepath.FromSlash(key))) }, err
}

// settle writes a file and the directories around it to the disk, up to the directory of all buckets. It gives them to the owner of
// that directory: in containers, this process is another user than the one whose directory it is, who deletes old backups.
func settle(root, path string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	for name := path; name != root; name = filepath.Dir(name) {
		if err := errors.Join(give(name, root), syncFile(name)); err != nil {
			return err
		}
	}
	return nil
}

// give makes the owner of one file that of another. Only root can.
func give(path, like string) error {
	wanted, err := os.Stat(like)
	if err != nil {
		return err
	}
	is, err := os.Lstat(path)
	if err != nil {
		return err
	}
	to, known := wanted.Sys().(*syscall.Stat_t)
	from, same := is.Sys().(*syscall.Stat_t)
	if !known || !same || from.Uid == to.Uid || os.Geteuid() != 0 {
		return nil
	}
	return os.Lchown(path, int(to.Uid), int(to.Gid))
}

// syncFile writes a file or a directory to the disk.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
