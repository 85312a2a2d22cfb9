// Package state manages the state directory of a landscape: the lock, the identity, ports and inventory of the landscape,
// the reason why the last start failed, and the removal of all files. The package does not know the parts of a landscape.
package state

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// State is the open state directory of a landscape. This process holds its lock.
type State struct {
	Store    *store.Store
	Identity store.Identity
	Ports    Ports

	guard  *ledger.Keeper
	claims claims
	lock   *daemon.Lock // held until the process ends, because parts such as the kubelet run until then
}

// Open takes the lock, opens the store and chooses ports for the listeners. It gives a new landscape its identity. It refuses a
// directory that has lost something which cannot be made again, and changes nothing then. The state of
// an older binary is brought to the format of this one, whose version is given.
func Open(cfg *config.Landscape, p paths.Paths, version string, listeners Listeners) (_ *State, err error) {
	if err := p.Create(); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	s := &State{claims: claims{}}
	if s.lock, err = daemon.Acquire(p.Lock()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err = ledger.Check(p); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	if err = noPause(p); err != nil {
		return nil, err
	}
	if s.Store, err = store.Open(p.Store()); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	known := false
	if s.Identity, known, err = s.Store.Identity(); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	if !known {
		s.Identity = newIdentity(cfg)
		if err = s.Store.SetIdentity(s.Identity); err != nil {
			return nil, err
		}
	}
	if err = Same(cfg, s.Identity); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	if err = adopt(s.Store, p, listeners, known, release(version)); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrDirectory, p.Root(), err)
	}
	if err = noteDirectories(s.Store, p); err != nil {
		return nil, err
	}
	if s.Ports, err = choosePorts(cfg, s.Store, listeners, s.claims); err != nil {
		return nil, err
	}
	s.guard, err = ledger.Keep(p, s.Store)
	return s, err
}

// NoteKeys notes the keys that cannot be made again. Call it when they exist and before they are used.
func (s *State) NoteKeys() error { return s.guard.NoteKeys() }

// NoteRotation notes the fingerprints that a key may have from now on. Call it before the key changes, and after.
func (s *State) NoteRotation(file string, fingerprints ...string) error {
	return s.guard.NoteRotation(file, fingerprints...)
}

// NoteEtcd notes that an etcd has data, and the ID of its cluster. Call it before anybody is told that something is stored.
func (s *State) NoteEtcd(name, cluster string) error { return s.guard.NoteEtcd(name, cluster) }

// noteDirectories adds all paths that the landscape makes on this machine to the inventory. Purge removes what the inventory
// lists.
func noteDirectories(s *store.Store, p paths.Paths) error {
	var items []store.Item
	for _, name := range ours {
		items = append(items, store.Item{Kind: store.ItemPath, ID: filepath.Join(p.Root(), name), Created: time.Now().UTC()})
	}
	return s.Inventory().Add(items...)
}

// Close closes the store, and gives up the claims of ports. The lock stays until the process ends.
func (s *State) Close() error {
	err := s.claims.Close()
	if s.Store == nil {
		return err
	}
	return errors.Join(err, s.Store.Close())
}

// SaveConfig writes the complete configuration into the state directory, for the daemon. It returns the file's name.
func SaveConfig(cfg *config.Landscape, p paths.Paths) (string, error) {
	text, err := yaml.Marshal(cfg)
	if err != nil {
		return "", fmt.Errorf("encode configuration: %w", err)
	}
	return p.Run().Config(), pki.WriteFile(p.Run().Config(), text)
}

// SavedConfig reads what SaveConfig wrote for the last start.
func SavedConfig(p paths.Paths) (*config.Landscape, error) { return config.Load(p.Run().Config(), nil) }

// Log is the log of the landscape's process.
func Log(cfg *config.Landscape, p paths.Paths) daemon.Log {
	return daemon.Log{File: p.Logs().Current(), Older: p.Logs().Older, Keep: config.KeptLogs, Size: cfg.Log.MaxSize.Value()}
}
