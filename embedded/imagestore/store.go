package imagestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// ErrNotFound says that an image is not in the store.
var ErrNotFound = errors.New("image is not in the store")

// Store is a directory of images.
type Store struct {
	dir      string
	contents contents
	known    known
}

// Image is an image in the store.
type Image struct {
	Record
	// Rootfs is the absolute path of an EROFS file with the files of the image.
	Rootfs string
	// Config tells how to start the image.
	Config v1.Config
}

// Open makes the directory, if needed, for the current user only.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open image store: %w", err)
	}
	for _, sub := range []string{blobs, names, roots} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("open image store: %w", err)
		}
	}
	return &Store{dir: dir, contents: contents{filepath.Join(dir, blobs)}, known: known{filepath.Join(dir, names)}}, nil
}

// Image returns an image that an operator loaded, as it can be handed to others, with its whole name.
func (s *Store) Image(name string) (v1.Image, Reference, error) {
	record, err := s.known.find("", name)
	if err != nil {
		return nil, "", err
	}
	return s.contents.image(record.Manifest), record.Reference, nil
}

// Get returns an image that the cluster pulled or that an operator loaded, by its reference, digest or ID. The error is
// ErrNotFound if the cluster does not know the image or if its content was removed.
func (s *Store) Get(cluster, image string) (Image, error) {
	record, err := s.known.find(cluster, image)
	if err != nil {
		return Image{}, err
	}
	file, err := s.contents.image(record.Manifest).ConfigFile()
	if errors.Is(err, os.ErrNotExist) {
		return Image{}, fmt.Errorf("%s: %w", image, ErrNotFound)
	}
	if err != nil {
		return Image{}, fmt.Errorf("read configuration of image %s: %w", image, err)
	}
	root := s.root(record.ID)
	if _, err := os.Stat(root); err != nil {
		return Image{}, fmt.Errorf("%s: %w", image, ErrNotFound)
	}
	return Image{Record: record, Rootfs: root, Config: file.Config}, nil
}

// add stores an image and unpacks it. The names come last, so that an image is known only when it is complete.
func (s *Store) add(image v1.Image, cluster string, references []Reference) (Record, error) {
	unlock, err := s.lock(shared)
	if err != nil {
		return Record{}, err
	}
	defer unlock()
	manifest, err := s.contents.write(image)
	if err != nil {
		return Record{}, err
	}
	stored := s.contents.image(manifest)
	id, err := stored.ConfigName()
	if err != nil {
		return Record{}, fmt.Errorf("read image: %w", err)
	}
	size, err := unpack(stored, s.root(id))
	if err != nil {
		return Record{}, err
	}
	record := Record{ID: id, Manifest: manifest, Size: size}
	for _, reference := range references {
		record.Reference = reference
		if err := s.known.write(cluster, record); err != nil {
			return Record{}, err
		}
	}
	return record, nil
}

func (s *Store) root(id v1.Hash) string { return filepath.Join(s.dir, roots, id.Hex+rootExtension) }

// Dir is the absolute path of the store.
func (s *Store) Dir() string { return s.dir }

// List returns the images that a cluster knows: those it pulled, then those that an operator loaded. With an empty cluster
// it returns the loaded images only.
func (s *Store) List(cluster string) ([]Record, error) { return s.known.list(cluster) }

// Clusters returns the names of all clusters that pulled images.
func (s *Store) Clusters() ([]string, error) { return s.known.clusters() }
