package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// namesFile is below the directory of the PKI. It has the names of FurtherNames, one a line.
const namesFile = "garden/names"

// SetFurtherNames makes the certificate of the garden's API server valid for these names beside those of Hosts, from now on and after
// a restart. The server reads the certificate again by itself.
func (p *PKI) SetFurtherNames(names []string) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := WriteFile(filepath.Join(p.dir, namesFile), []byte(strings.Join(names, "\n"))); err != nil {
		return fmt.Errorf("note names of the garden: %w", err)
	}
	_, err := p.ensureAll()
	return err
}

// FurtherNames returns the names that SetFurtherNames has set, sorted.
func (p *PKI) FurtherNames() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, namesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read names of the garden: %w", err)
	}
	return strings.Fields(string(text)), nil
}
