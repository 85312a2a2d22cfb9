package state

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Upgrades is the directory of copies that were made before upgrades, below the state directory.
const Upgrades = "upgrades"

// keptCopies is how many of them stay.
const keptCopies = 2

// keepCopy copies what cannot be made again. The copy appears under its name only when it is complete.
func keepCopy(p paths.Paths, last store.Release) error {
	dir := filepath.Join(p.Root(), Upgrades)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	partial := filepath.Join(dir, "partial")
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.Mkdir(partial, 0o700); err != nil {
		return err
	}
	for _, path := range notMadeAgain(p) {
		if err := copyTree(path, filepath.Join(partial, filepath.Base(path))); err != nil {
			return err
		}
	}
	if err := atomicfile.Move(partial, filepath.Join(dir, copyName(time.Now(), last))); err != nil {
		return err
	}
	copies := paths.Match(dir, "2*")
	for i := range max(0, len(copies)-keptCopies) { // names begin with the time
		if err := os.RemoveAll(copies[i]); err != nil {
			return err
		}
	}
	return nil
}

// notMadeAgain are the files and directories that cannot be made again.
func notMadeAgain(p paths.Paths) []string { return []string{p.Store(), p.PKI(), p.Etcd("")} }

// copyName tells when a copy was made, and which release has written what is in it.
func copyName(now time.Time, last store.Release) string {
	return fmt.Sprintf("%s-format-%d-kubernetes-%s", now.UTC().Format("20060102-150405"), last.Format, cmp.Or(last.Kubernetes, "unknown"))
}

// copiedRelease reads the name of a copy. ok is false for other names.
func copiedRelease(name string) (last store.Release, ok bool) {
	var day, second int
	n, err := fmt.Sscanf(name, "%d-%d-format-%d-kubernetes-%s", &day, &second, &last.Format, &last.Kubernetes)
	return last, n == 4 && err == nil
}

// copyTree copies directories and regular files with their permissions.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case entry.Type().IsRegular():
			return copyFile(path, target)
		default:
			return nil // sockets
		}
	})
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	return atomicfile.WriteFrom(to, source, 0o600)
}
