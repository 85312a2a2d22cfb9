package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// namesFile is below the directory of the PKI. It has the names of FurtherNames, one a line.
const namesFile = "garden/names"

// FurtherNames returns the names that SetFurtherNames has set, sorted.
func (p *PKI) FurtherNames() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, namesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read names of the garden: %w", err)
	}
	return strings.Fields(string(text)), nil
}
