package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// take copies a binary that was compiled before. What it embeds is in the working tree.
func (r *release) take(architecture, temporary string) (program, error) {
	p := program{Architecture: architecture, Path: r.binaryOf(architecture)}
	for _, e := range r.Embedded {
		p.Inside = append(p.Inside, filepath.Join(r.Root, e.Target))
	}
	from, err := os.Open(r.Binary)
	if err != nil {
		return p, err
	}
	defer func() { _ = from.Close() }()
	if err := create(p.Path, func(w io.Writer) error { _, err := io.Copy(w, from); return err }); err != nil {
		return p, err
	}
	if err := os.Chmod(p.Path, 0o755); err != nil {
		return p, err
	}
	if err := static(p); err != nil {
		return p, err
	}
	said, err := ask(p.Path, temporary, "version")
	if err != nil {
		return p, err
	}
	if !slices.Contains(strings.Fields(string(said)), r.Version) {
		return p, fmt.Errorf("%s is not of version %s; it says:\n%s", r.Binary, r.Version, said)
	}
	return p, nil
}
