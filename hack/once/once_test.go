// Package once checks that what this project does in one place is done in that place only.
package once

import (
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
	except string // lines with this text are free
	reason string
}{
	{"x509.CreateCertificate(", []string{"embedded/certificate"}, "", "embedded/certificate makes all certificates"},
	{"os.Rename(", []string{"embedded/atomicfile"}, "PreviousLog()", "embedded/atomicfile replaces files, so that they survive a power cut"},
}

func TestOnce(t *testing.T) {
	seen := map[string]bool{}
	for path, text := range sources(t) {
		for _, d := range duties {
			for line := range strings.Lines(text) {
				if !strings.Contains(line, d.call) || d.except != "" && strings.Contains(line, d.except) {
					continue
				}
				if seen[d.call] = true; !slices.Contains(d.places, filepath.Dir(path)) {
					t.Errorf("%s calls %s: %s", path, d.call, d.reason)
				}
			}
		}
	}
	for _, d := range duties {
		if !seen[d.call] {
			t.Errorf("nothing calls %s: this rule cannot fail", d.call)
		}
	}
}

// free are files that the rules do not apply to: this one, a test that plays a process which renames its log, and a fake
// of a machine whose files a test replaces.
var free = []string{"hack/once/once_test.go", "embedded/node/runtime/logs_test.go", "local/host/fake_test.go"}

// sources are the Go files of the repository by their path from its root.
func sources(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS("../..")
	files := map[string]string{}
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || slices.Contains(free, path) {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
