package appliance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// SaveConfig writes the complete configuration below the state directory for the daemon and returns the file's name.
func SaveConfig(cfg *config.Landscape, p paths.Paths) (string, error) {
	text, err := yaml.Marshal(cfg)
	if err != nil {
		return "", fmt.Errorf("encode configuration: %w", err)
	}
	file := filepath.Join(filepath.Dir(p.Socket()), "landscape.yaml")
	return file, pki.WriteFile(file, text)
}

// state is the open state directory of a landscape: nobody else has it.
type state struct {
	lock     *daemon.Lock
	store    *store.Store
	identity store.Identity
	ports    ports
}

// openState takes the lock and opens the store; a new landscape gets its identity.
func openState(cfg *config.Landscape, p paths.Paths, portNames []string) (_ *state, err error) {
	if err := p.Create(); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	s := &state{}
	if s.lock, err = daemon.Acquire(p.Lock()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.store, err = store.Open(p.Store()); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	known := false
	if s.identity, known, err = s.store.Identity(); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	if !known {
		s.identity = store.Identity{
			Name: cfg.Name, ID: cfg.Name + "-" + string(uuid.NewUUID())[:8], Created: time.Now().UTC(), Domain: cfg.Domain,
			Seed: cfg.Seed.Name, Provider: cfg.Seed.Provider, PodCIDR: cfg.Seed.PodCIDR, ServiceCIDR: cfg.Seed.ServiceCIDR,
		}
		if err = s.store.SetIdentity(s.identity); err != nil {
			return nil, err
		}
	}
	if err = sameLandscape(cfg, s.identity); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	if err = noteDirectories(s.store, p); err != nil {
		return nil, err
	}
	s.ports, err = choosePorts(cfg, s.store, portNames)
	return s, err
}

// noteDirectories puts everything the landscape makes on this machine into the inventory, from which purge removes it.
func noteDirectories(s *store.Store, p paths.Paths) error {
	for _, name := range ours {
		item := store.Item{Kind: itemPath, ID: filepath.Join(p.Root(), name), Created: time.Now().UTC()}
		if err := s.AddItem(item); err != nil {
			return err
		}
	}
	return nil
}

// close closes the store. The lock stays until the process ends, since parts of the landscape (the kubelet) do so long.
func (s *state) close() error {
	if s.store == nil {
		return nil
	}
	return s.store.Close()
}

// itemPath is the kind of inventory items that are files or directories; their ID is the path.
const itemPath = "path"

// ours are the entries a landscape makes in its state directory. The store comes first.
var ours = []string{"appliance.db", "lock", "run", "logs", "pki", "etcd", "kubeconfigs", "nodes", "dns", "backups", "volumes", "images", "seeds"}

func onlyOurs(p paths.Paths) bool {
	entries, err := os.ReadDir(p.Root())
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if !isOurs(entry.Name()) {
			return false
		}
	}
	return true
}

func isOurs(name string) bool {
	for _, own := range ours {
		if name == own {
			return true
		}
	}
	return false
}
