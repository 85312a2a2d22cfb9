//go:build !linux

package backup

import (
	"os"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// extentsOf takes the whole file.
func extentsOf(_ *os.File, size int64) ([]archive.Extent, error) {
	return []archive.Extent{{Size: size}}, nil
}
