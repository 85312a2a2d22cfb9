package collect

import (
	"errors"
	"fmt"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// fromFile adds a packed chart, or the images of an archive or an OCI image layout.
func (c *collection) fromFile(path string) error {
	chartErr := c.chartArchive(path)
	if chartErr == nil {
		return nil
	}
	found := false
	for _, architecture := range c.Architectures {
		any, err := c.images(path, architecture)
		if err != nil {
			return errors.Join(err, fmt.Errorf("it is no chart either: %w", chartErr))
		}
		found = found || any
	}
	if !found {
		return fmt.Errorf("it has no image for %v", c.Architectures)
	}
	return nil
}

// images adds the images for an architecture.
func (c *collection) images(path, architecture string) (found bool, err error) {
	temporary, err := os.MkdirTemp(c.blobs.dir, "archive-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	images, err := imagestore.ReadArchive(path, temporary, v1.Platform{OS: "linux", Architecture: architecture})
	if err != nil {
		return false, err
	}
	for _, one := range images {
		file, err := one.Image.ConfigFile()
		if err != nil {
			return false, err
		}
		if file.Architecture != architecture {
			continue
		}
		if len(one.Names) == 0 {
			return false, errors.New("an image in it has no name")
		}
		found = true
		for _, name := range one.Names {
			if err := c.addImage(bundle.Image, string(name), one.Image); err != nil {
				return false, err
			}
		}
	}
	return found, nil
}
