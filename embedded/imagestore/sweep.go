package imagestore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Remove removes an image, given by any of its names, from the images that a cluster knows. An empty cluster stands for images that
// an operator loaded. Other clusters keep the image. Content that no cluster knows any more is deleted. Running containers keep
// their files.
func (s *Store) Remove(cluster, image string) error {
	found, err := s.known.find(cluster, image)
	if err != nil {
		return err
	}
	if found.Loaded && cluster != "" {
		return fmt.Errorf("image %s was loaded for all clusters, so cluster %s cannot remove it", image, cluster)
	}
	records, err := s.known.list(cluster)
	if err != nil {
		return err
	}
	byID := found.is(image)
	for _, record := range records {
		if record.Loaded != found.Loaded || !(record.Reference == found.Reference || byID && record.ID == found.ID) {
			continue
		}
		if err := os.Remove(s.known.path(cmp.Or(cluster, everyone), record.Reference)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove image %s: %w", image, err)
		}
	}
	return s.Sweep()
}

// Forget removes all images of a cluster that is gone.
func (s *Store) Forget(cluster string) error {
	if cluster == "" || cluster == everyone || cluster != filepath.Base(cluster) {
		return fmt.Errorf("forget images of cluster %q: no such cluster", cluster)
	}
	if err := os.RemoveAll(filepath.Join(s.dir, names, cluster)); err != nil {
		return fmt.Errorf("forget images of cluster %s: %w", cluster, err)
	}
	return s.Sweep()
}

// Sweep deletes content that no name refers to. It waits until nobody adds images.
func (s *Store) Sweep() error {
	unlock, err := s.lock(exclusive)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.removeTemporary(); err != nil {
		return fmt.Errorf("sweep image store: %w", err)
	}
	used, err := s.used()
	if err != nil {
		return fmt.Errorf("sweep image store: %w", err)
	}
	for _, dir := range []string{roots, blobs} {
		entries, err := os.ReadDir(filepath.Join(s.dir, dir))
		if err != nil {
			return fmt.Errorf("sweep image store: %w", err)
		}
		for _, entry := range entries {
			if used[strings.TrimSuffix(entry.Name(), rootExtension)] {
				continue
			}
			if err := os.Remove(filepath.Join(s.dir, dir, entry.Name())); err != nil {
				return fmt.Errorf("sweep image store: %w", err)
			}
		}
	}
	return nil
}

// used returns the digests, in hexadecimal, of everything that names refer to.
func (s *Store) used() (map[string]bool, error) {
	clusters, err := s.known.clusters()
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, cluster := range append(clusters, everyone) {
		records, err := s.known.read(cluster)
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			used[record.ID.Hex], used[record.Manifest.Hex] = true, true
			manifest, err := s.contents.image(record.Manifest).Manifest()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, layer := range manifest.Layers {
				used[layer.Digest.Hex] = true
			}
		}
	}
	return used, nil
}

// removeTemporary removes what an ended process left half-written. Nobody may write at the same time.
func (s *Store) removeTemporary() error {
	for _, dir := range []string{blobs, roots} {
		entries, err := os.ReadDir(filepath.Join(s.dir, dir))
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !atomicfile.IsTemporary(entry.Name()) {
				continue
			}
			if err := os.RemoveAll(filepath.Join(s.dir, dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
