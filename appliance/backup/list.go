package backup

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// Listed is an archive in a directory.
type Listed struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	archive.Header
	// Problem says why the archive cannot be used. Without one, its beginning is right; Verify says more.
	Problem string `json:"problem,omitempty"`
}

// List returns the archives in a directory, the oldest first. Only their beginnings are read.
func List(dir string) ([]Listed, error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(escaped(dir), "*"+suffix))
	if err != nil {
		return nil, err
	}
	all := []Listed{}
	for _, file := range files {
		one := Listed{File: file}
		if err := one.read(); err != nil {
			one.Problem = err.Error()
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Listed) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.File, b.File)) })
	return all, nil
}

func (l *Listed) read() error {
	file, err := os.Open(l.File)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	l.Bytes = info.Size()
	l.Header, err = archive.ReadHeader(file)
	return err
}

// escaped is a path as a pattern that only it matches.
func escaped(path string) string {
	var out []byte
	for i := range len(path) {
		if slices.Contains([]byte(`*?[\`), path[i]) {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}

// Prune removes all but the newest archives of a landscape in a directory. Other files, and archives of other landscapes, stay.
func Prune(dir, identity string, keep int) (removed []string, err error) {
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(l Listed) bool { return l.Problem != "" || l.Identity != identity })
	for _, l := range all[:max(0, len(all)-keep)] {
		if err := os.Remove(l.File); err != nil {
			return removed, err
		}
		removed = append(removed, l.File)
	}
	return removed, nil
}
