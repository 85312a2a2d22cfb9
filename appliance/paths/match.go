package paths

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Match lists the files below dir whose names, relative to it, match the pattern, in the order of their names. Unlike filepath.Glob it takes
// the name of dir as it is: users may have directories with brackets in their names. It panics if the pattern is bad.
func Match(dir, pattern string) []string {
	found, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		panic("match " + pattern + ": " + err.Error())
	}
	for i := range found {
		found[i] = filepath.Join(dir, found[i])
	}
	return found
}
