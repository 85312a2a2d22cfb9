package docs

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Pages returns the documents below the root of the repository, but for the generated reference of the command line and for testdata.
func Pages(root string) ([]string, error) {
	var pages []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git" || path == filepath.Join(root, "docs", "cli")):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md"):
			pages = append(pages, path)
		}
		return nil
	})
	return pages, err
}
