package appliance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// Purge removes everything a landscape made on this machine, also when its state is damaged or half removed already.
// found is false when there was nothing. Files that the landscape did not make stay.
func Purge(cfg *config.Landscape, p paths.Paths) (found bool, err error) {
	if _, err := os.Stat(p.Root()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if _, err := os.Stat(p.Store()); errors.Is(err, os.ErrNotExist) && !onlyOurs(p) {
		return false, fmt.Errorf("%w %s: it holds other files and no landscape", ErrState, p.Root())
	}
	lock, err := daemon.Acquire(p.Lock())
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	made, engine, others, err := inventory(cfg, p)
	if err != nil {
		return false, fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	if err := purgeContainers(cfg.Name, p, engine, others); err != nil {
		return true, err
	}
	for _, dir := range []string{p.Node(""), p.Seed("").Root()} {
		if err := killBelow(dir); err != nil {
			return true, fmt.Errorf("end left-over processes: %w", err)
		}
	}
	return true, remove(made, p)
}

// inventory returns the paths to remove, the store last so that an interrupted purge can be repeated, and what else there
// is, with the engine that has it. It refuses a landscape of another name. A store that cannot be read is no obstacle: then the paths are those of
// every landscape.
func inventory(cfg *config.Landscape, p paths.Paths) (made []string, engine store.Engine, others []store.Item, err error) {
	for _, name := range slices.Backward(ours) {
		made = append(made, filepath.Join(p.Root(), name))
	}
	s, err := store.Open(p.Store())
	if err != nil {
		return made, engine, nil, nil
	}
	defer s.Close()
	id, known, err := s.Identity()
	if err == nil && known && id.Name != cfg.Name {
		return nil, engine, nil, fmt.Errorf("it belongs to landscape %q, not %q: name it with --landscape", id.Name, cfg.Name)
	}
	if engine, _, err = s.Engine(); err != nil {
		return made, engine, nil, nil
	}
	items, err := s.Items()
	if err != nil {
		return made, engine, nil, nil
	}
	for _, item := range items {
		switch {
		case item.Kind != itemPath:
			others = append(others, item)
		case !slices.Contains(made, item.ID):
			made = slices.Insert(made, 0, item.ID)
		}
	}
	return made, engine, others, nil
}

// remove deletes what the landscape made and then its directory, if nothing else is in it.
func remove(made []string, p paths.Paths) error {
	var errs []error
	for _, path := range made {
		makeRemovable(path)
		errs = append(errs, os.RemoveAll(path))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove state: %w", err)
	}
	if err := os.Remove(p.Root()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is kept, since it holds files that are not the landscape's: %w", p.Root(), err)
	}
	if parent := filepath.Dir(p.Root()); filepath.Base(parent) == "gardener" {
		_ = os.Remove(parent) // fails while other landscapes are in it
	}
	return nil
}

// makeRemovable gives directories back the permissions their removal needs; volumes of pods may lack them.
func makeRemovable(root string) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
}
