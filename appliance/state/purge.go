package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/podgroup"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// Purge removes everything that a landscape made on this machine, even if its state is damaged or half removed. found is
// false if there was nothing to remove. Files that the landscape did not make stay. closed removes a directory that this process may not remove, because
// it has files of users in containers; nil if there is no way.
func Purge(cfg *config.Landscape, p paths.Paths, closed func(dir string) error) (found bool, err error) {
	if _, err := os.Stat(p.Root()); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if _, err := os.Stat(p.Store()); errors.Is(err, os.ErrNotExist) && !OnlyOurs(p) {
		return false, fault.New(fault.Foreign, fmt.Errorf("%w %s: it contains other files and no landscape", ErrDirectory, p.Root()))
	}
	lock, err := daemon.Acquire(p.Lock())
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	made, with, others, err := inventory(cfg, p)
	if err != nil {
		return false, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	if err := engine.Purge(cfg.Name, p, with, others); err != nil {
		return true, err
	}
	for _, dir := range []string{p.Node(""), p.Seed("").Root()} {
		if err := killBelow(dir); err != nil {
			return true, fmt.Errorf("end left-over processes: %w", err)
		}
	}
	if err := podgroup.Remove(layout.Dir(p.Shared().Sandboxes())); err != nil {
		return true, err
	}
	return true, remove(made, p, closed)
}

// inventory returns the paths to remove and the items of the container engine, together with that engine. The store is the
// last path, so that an interrupted purge can be repeated. inventory refuses a landscape of another name. It reads the store and
// its last good copy, since either may be damaged. If neither can be read, it returns the paths that every landscape makes.
func inventory(cfg *config.Landscape, p paths.Paths) (made []string, with store.Engine, others []store.Item, err error) {
	for _, name := range slices.Backward(ours) {
		made = append(made, filepath.Join(p.Root(), name))
	}
	for _, file := range []string{p.Store(), p.LastGood()} {
		s, err := store.Read(file)
		if err != nil {
			continue
		}
		id, known, err := s.Identity()
		if err == nil && known && id.Name != cfg.Name {
			return nil, with, nil, errors.Join(fmt.Errorf("it belongs to landscape %q, not %q: name it with --landscape", id.Name, cfg.Name), s.Close())
		}
		if engine, known, err := s.Engine(); err == nil && known && with.Name == "" {
			with = engine
		}
		items, _ := s.Inventory().Items() // what is damaged has no items
		for _, item := range items {
			switch {
			case item.Kind != store.ItemPath:
				others = addItem(others, item)
			case !slices.Contains(made, item.ID):
				made = slices.Insert(made, 0, item.ID)
			}
		}
		_ = s.Close()
	}
	return made, with, others, nil
}

func addItem(items []store.Item, item store.Item) []store.Item {
	if slices.ContainsFunc(items, func(other store.Item) bool { return other.Kind == item.Kind && other.ID == item.ID }) {
		return items
	}
	return append(items, item)
}

// remove deletes what the landscape made, and then its directory if that is empty.
func remove(made []string, p paths.Paths, closed func(dir string) error) error {
	var errs []error
	for _, path := range made {
		err := RemoveAll(path)
		if errors.Is(err, fs.ErrPermission) && closed != nil {
			err = closed(path)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove state: %w", err)
	}
	if err := os.Remove(p.Root()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is kept, since it holds files that are not the landscape's: %w", p.Root(), err)
	}
	if parent := filepath.Dir(p.Root()); filepath.Base(parent) == "gardener" {
		_ = os.Remove(parent) // fails while the directory contains other landscapes
	}
	return nil
}
