package kind

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// thisBinary is the file of this binary and the ID of the container image that contains it.
func thisBinary() (binary, id string, err error) {
	if binary, err = self.Path(); err != nil {
		return "", "", err
	}
	id, err = applianceimage.Digest(binary)
	return binary, id, err
}

// imageArchive makes the archive of the appliance image in a directory unless it exists. It removes archives of former binaries.
func imageArchive(dir, binary, reference, id string) (string, error) {
	archive := filepath.Join(dir, strings.ReplaceAll(id, ":", "-")+".tar")
	if _, err := os.Stat(archive); err == nil {
		return archive, nil
	}
	for _, file := range paths.Match(dir, "*.tar") {
		_ = os.Remove(file)
	}
	return archive, applianceimage.Save(binary, reference, archive)
}
