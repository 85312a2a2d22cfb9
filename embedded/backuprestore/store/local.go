package store

import (
	"context"
	"os"
	"path/filepath"

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
	return bucket, func(key string) error { return syncFile(filepath.Join(dir, filepath.FromSlash(key))) }, err
}

// syncFile writes a file and its directory to the disk.
func syncFile(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		err = file.Sync()
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
	}
	return nil
}
