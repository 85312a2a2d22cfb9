// Package binaries keeps the versions of this binary that pods of embedded nodes run. After an upgrade, the control plane of a shoot
// keeps the version that it was made with. The gardenlet moves it to the new version when it reconciles the shoot in the shoot's
// maintenance window. The tag of the appliance image names the version.
package binaries

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// name of the file in the directory of a version.
const name = "gardener"

// Binaries are the versions in a directory. The directory of a version is named by its tag.
type Binaries struct {
	Dir string
	Own string // the version of this binary
}

// Of returns the file of another version for the containers of an image. It returns false for the image of this version,
// and for versions that were never kept: these containers run this binary.
func (b Binaries) Of(reference string) (file string, found bool) {
	tag, ok := image.Tag(reference)
	if !ok || tag == b.Own {
		return "", false
	}
	file = b.file(tag)
	_, err := os.Stat(file)
	return file, err == nil
}

func (b Binaries) file(tag string) string { return filepath.Join(b.Dir, tag, name) }

// Keep copies the binary of this process, unless the copy exists already. Two different binaries of one version, as developers have
// them, replace each other. Keep does not make a hard link: writing to the original file would then change the copy.
func (b Binaries) Keep(binary string) error {
	source, err := os.Open(binary)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	file := b.file(b.Own)
	if there, err := os.Stat(file); err == nil && there.Size() == info.Size() && there.ModTime().Equal(info.ModTime()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := atomicfile.WriteFrom(file, source, 0o700); err != nil {
		return err
	}
	return os.Chtimes(file, info.ModTime(), info.ModTime()) // a crash before this costs one more copy
}

// Sweep removes the versions that no image needs, and copies that a crash left unfinished.
func (b Binaries) Sweep(images []string) (removed []string, err error) {
	needed := map[string]bool{b.Own: true}
	for _, reference := range images {
		if tag, ok := image.Tag(reference); ok {
			needed[tag] = true
		}
	}
	kept, err := os.ReadDir(b.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, entry := range kept {
		if needed[entry.Name()] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(b.Dir, entry.Name())); err != nil {
			errs = append(errs, fmt.Errorf("remove binary %s: %w", entry.Name(), err))
			continue
		}
		removed = append(removed, entry.Name())
	}
	return removed, errors.Join(errs...)
}
