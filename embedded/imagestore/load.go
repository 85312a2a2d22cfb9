package imagestore

import (
	"errors"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Load stores the images of an archive (docker save, podman save, ctr images export; also compressed by gzip) or of a
// directory or archive in the OCI image layout. All clusters know them. An image without a name gets the given one.
func (s *Store) Load(path, name string) ([]Record, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load images: %w", err)
	}
	if info.IsDir() {
		images, err := layoutImages(path, platform())
		return s.loadAll(images, err, name)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load images: %w", err)
	}
	defer func() { _ = file.Close() }()
	return s.LoadFrom(file, name)
}

// LoadFrom stores the images of an archive, as Load does. It needs as much free space as the archive, for a while.
func (s *Store) LoadFrom(archive io.Reader, name string) ([]Record, error) {
	temporary, err := os.MkdirTemp(s.dir, ".load-")
	if err != nil {
		return nil, fmt.Errorf("load images: %w", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	images, err := readArchive(archive, temporary, platform())
	return s.loadAll(images, err, name)
}

// LoadImage stores an image under a name that all clusters know. It must be for this machine's platform.
func (s *Store) LoadImage(image v1.Image, name string) (Record, error) {
	records, err := s.loadAll([]Archived{{Image: image}}, nil, name)
	if err != nil {
		return Record{}, err
	}
	return records[0], nil
}

func (s *Store) loadAll(images []Archived, err error, name string) ([]Record, error) {
	if err != nil {
		return nil, fmt.Errorf("load images: %w", err)
	}
	var loaded []Record
	for _, found := range images {
		if name != "" {
			reference, err := Parse(name)
			if err != nil {
				return nil, err
			}
			if len(images) > 1 {
				return nil, fmt.Errorf("load images: %s is a name for one image, but there are %d", name, len(images))
			}
			found.Names = []Reference{reference}
		}
		if len(found.Names) == 0 {
			return nil, errors.New("load images: an image has no name; give it one")
		}
		if err := runsHere(found.Image); err != nil {
			return nil, fmt.Errorf("load image %s: %w", found.Names[0], err)
		}
		record, err := s.add(found.Image, "", found.Names)
		if err != nil {
			return nil, fmt.Errorf("load image %s: %w", found.Names[0], err)
		}
		for _, record.Reference = range found.Names {
			loaded = append(loaded, record)
		}
	}
	return loaded, nil
}
