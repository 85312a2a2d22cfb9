// Package charttest packs directories as archives of Helm charts, for tests.
package charttest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"testing"
)

// Pack returns the compressed tar archive of a chart whose files are those of the directory.
func Pack(t *testing.T, directory fs.FS) []byte {
	t.Helper()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	files := tar.NewWriter(compressed)
	err := fs.WalkDir(directory, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(directory, path)
		if err != nil {
			return err
		}
		if err := files.WriteHeader(&tar.Header{Name: "chart/" + path, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		_, err = files.Write(content)
		return err
	})
	for _, done := range []func() error{files.Close, compressed.Close} {
		if err == nil {
			err = done()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}
