package ledger

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

// hasFiles tells whether there is a file in a directory or below it.
func hasFiles(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// relative is a path as messages name it, which begin with the state directory.
func relative(p paths.Paths, path string) string {
	name, err := filepath.Rel(p.Root(), path)
	if err != nil {
		return path
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		name += "/"
	}
	return name
}
