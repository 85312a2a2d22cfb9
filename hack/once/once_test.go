// Package once checks that what this project does in one place is done in that place only.
package once

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// duties name calls by their text, and the packages that may make them.
var duties = []struct {
	call   string
	places []string
	reason string
}{
	{"x509." + "CreateCertificate(", []string{"embedded/certificate"}, "embedded/certificate makes all certificates"},
}

func TestOnce(t *testing.T) {
	seen := map[string]bool{}
	for path, text := range sources(t) {
		for _, d := range duties {
			if !bytes.Contains(text, []byte(d.call)) {
				continue
			}
			seen[d.call] = true
			if !slices.Contains(d.places, filepath.Dir(path)) {
				t.Errorf("%s calls %s: %s", path, d.call, d.reason)
			}
		}
	}
	for _, d := range duties {
		if !seen[d.call] {
			t.Errorf("nothing calls %s: this rule cannot fail", d.call)
		}
	}
}

// sources are the Go files of the repository, by their path from its root.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	root := os.DirFS("../..")
	files := map[string][]byte{}
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files[path], err = fs.ReadFile(root, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
