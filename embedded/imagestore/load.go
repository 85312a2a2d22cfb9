package imagestore

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
		return s.loadAll(path, name, layoutImages)
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
	plain, err := decompress(archive)
	if err != nil {
		return nil, fmt.Errorf("load images: %w", err)
	}
	path := filepath.Join(temporary, "archive")
	if err := copyTo(path, plain); err != nil {
		return nil, fmt.Errorf("load images: %w", err)
	}
	switch kind, err := kindOf(path); {
	case err != nil:
		return nil, fmt.Errorf("load images: this is no tar archive: %w", err)
	case kind == manifestFile:
		return s.loadAll(path, name, archiveImages)
	case kind == indexFile:
		dir := filepath.Join(temporary, "layout")
		if err := extract(path, dir); err != nil {
			return nil, fmt.Errorf("load images: %w", err)
		}
		return s.loadAll(dir, name, layoutImages)
	default:
		return nil, fmt.Errorf("load images: the archive has neither %s (docker save) nor %s (OCI image layout)", manifestFile, indexFile)
	}
}

// named is an image with its names in an archive.
type named struct {
	image v1.Image
	names []Reference
}

func (s *Store) loadAll(path, name string, read func(string) ([]named, error)) ([]Record, error) {
	images, err := read(path)
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
			found.names = []Reference{reference}
		}
		if len(found.names) == 0 {
			return nil, errors.New("load images: an image has no name; give it one")
		}
		if err := runsHere(found.image); err != nil {
			return nil, fmt.Errorf("load image %s: %w", found.names[0], err)
		}
		record, err := s.add(found.image, "", found.names)
		if err != nil {
			return nil, fmt.Errorf("load image %s: %w", found.names[0], err)
		}
		for _, record.Reference = range found.names {
			loaded = append(loaded, record)
		}
	}
	return loaded, nil
}

// decompress undoes gzip, if the stream is compressed.
func decompress(stream io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(stream)
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		return gzip.NewReader(buffered)
	}
	return buffered, nil
}

func copyTo(path string, content io.Reader) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

// extract writes the regular files of an archive below a directory that it makes. Nothing can be written elsewhere.
func extract(archive, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return walk(archive, func(header *tar.Header, content io.Reader) error {
		if header.Typeflag != tar.TypeReg {
			return nil
		}
		path := filepath.Clean(header.Name)
		if err := root.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		file, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(0o600))
		if err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		return errors.Join(err, file.Close())
	})
}
