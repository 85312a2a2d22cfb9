package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/node/sharedvolume"
	"github.com/gardener-up/gardener-up/embedded/node/within"
	"github.com/gardener-up/gardener-up/embedded/removetree"
)

// places says where volumes are. Users may have put links into them, so files are reached through os.Root only.
type places struct {
	// dir has the directories of all volumes. It is absolute.
	dir string
	// shoot means that the volumes are those of a shoot, whose nodes know them by package sharedvolume. A seed knows them by their paths.
	shoot bool
}

// of returns the path by which the cluster knows the volume of a claim, and the path in dir. Both contain part of the claim's UID: a new
// claim of the same name must never see the data of an earlier one.
func (p places) of(claim *corev1.PersistentVolumeClaim) (shown, path string) {
	if p.shoot {
		return sharedvolume.Path(name(claim)), name(claim)
	}
	path = filepath.Join(claim.Namespace, claim.Name+"-"+string(claim.UID[:min(len(claim.UID), 8)]))
	return filepath.Join(p.dir, path), path
}

// find returns the path in dir of a volume that the cluster knows by a path, if it is there.
func (p places) find(shown string) (path string, ok bool) {
	if p.shoot {
		return sharedvolume.Name(shown)
	}
	path, err := filepath.Rel(p.dir, filepath.Clean(shown))
	return path, err == nil && path != "." && within.Contains(p.dir, filepath.Clean(shown))
}

// mode lets containers of any user write to volumes of shoots. Nothing but their nodes reaches the directory they are in.
func (p places) mode() fs.FileMode {
	if p.shoot {
		return 0o777
	}
	return 0o700
}

// make makes the directory of a volume.
func (p places) make(path string) error {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return fmt.Errorf("make directory of volumes: %w", err)
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return fmt.Errorf("open directory of volumes: %w", err)
	}
	defer root.Close()
	if err := root.MkdirAll(path, p.mode()); err != nil {
		return fmt.Errorf("make directory of volume: %w", err)
	}
	return root.Chmod(path, p.mode()) // whatever the umask
}

// remove removes the directory of a volume with all data, which containers may have closed to their owner, and the directory that it is in if no other volume is there.
func (p places) remove(ctx context.Context, path string) error {
	root, err := os.OpenRoot(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open directory of volumes: %w", err)
	}
	defer root.Close()
	if err := removetree.In(ctx, root, path); err != nil {
		return fmt.Errorf("remove directory of volume: %w", err)
	}
	if parent := filepath.Dir(path); parent != "." {
		_ = root.Remove(parent) // succeeds for the last volume of a namespace only
	}
	return nil
}

// RemoveShoot removes all volumes of a shoot whose control plane was in a namespace. dir has the volumes of all shoots.
func RemoveShoot(ctx context.Context, dir, namespace string) error {
	if dir == "" {
		return nil
	}
	own := filepath.Join(dir, namespace)
	entries, err := os.ReadDir(own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list volumes of the shoot: %w", err)
	}
	for _, entry := range entries {
		if err := (places{dir: own}).remove(ctx, entry.Name()); err != nil {
			return err
		}
	}
	if err := os.Remove(own); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove directory of the shoot's volumes: %w", err)
	}
	return nil
}
