package appliance

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"k8s.io/component-base/version"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

const (
	// minFreeBytes is what etcd, logs and certificates of a small landscape take, with room to spare.
	minFreeBytes = 512 << 20
	// minOpenFiles suffices for three shoots; every child process has a limit of its own.
	minOpenFiles = 1024
)

// Preflight finds reasons why the landscape cannot start, before anything is changed. It is quick and changes nothing.
func Preflight(cfg *config.Landscape, p paths.Paths) error {
	if runtime.GOOS != "linux" && !cfg.Seed.Kind() {
		return fmt.Errorf("embedded nodes need Linux, this is %s: use \"gardener up --provider kind\", or run gardener in a Linux machine", runtime.GOOS)
	}
	if strings.HasPrefix(version.Get().GitVersion, "v0.") {
		return errors.New("this binary does not know its Kubernetes version, so it cannot serve one: build it with \"make build\"")
	}
	pid, err := daemon.LiveHolder(p.Lock())
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	if pid != 0 {
		return fmt.Errorf("%w (process %d)", daemon.ErrRunning, pid)
	}
	if err := checkState(cfg, p); err != nil {
		return fmt.Errorf("%w %s: %w", ErrState, p.Root(), err)
	}
	if err := checkLimits(p); err != nil {
		return err
	}
	return checkAddresses(cfg)
}

// checkState accepts a directory that does not exist, is empty, or belongs to this landscape.
func checkState(cfg *config.Landscape, p paths.Paths) error {
	entries, err := os.ReadDir(p.Root())
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(p.Store()); errors.Is(err, os.ErrNotExist) {
		if onlyOurs(p) {
			return nil // an earlier start ended before it could write the store
		}
		return errors.New("it holds other files and no landscape")
	}
	id, err := storedIdentity(p)
	if err != nil || id.Name == "" {
		return err
	}
	return sameLandscape(cfg, id)
}

// storedIdentity reads what landscape the state is of; it is empty for a state that has none yet.
func storedIdentity(p paths.Paths) (store.Identity, error) {
	if _, err := os.Stat(p.Store()); err != nil {
		return store.Identity{}, err
	}
	s, err := store.Open(p.Store())
	if err != nil {
		return store.Identity{}, err
	}
	defer s.Close()
	id, _, err := s.Identity()
	return id, err
}

// sameLandscape refuses a configuration that does not fit what the landscape was made with.
func sameLandscape(cfg *config.Landscape, id store.Identity) error {
	provider := id.Provider
	if provider == "" {
		provider = config.ProviderEmbedded
	}
	for _, setting := range []struct{ key, want, have string }{
		{"name", cfg.Name, id.Name}, {"domain", cfg.Domain, id.Domain}, {"seed.name", cfg.Seed.Name, id.Seed},
		{"seed.provider", cfg.Seed.Provider, provider},
		{"seed.podCIDR", cfg.Seed.PodCIDR, id.PodCIDR}, {"seed.serviceCIDR", cfg.Seed.ServiceCIDR, id.ServiceCIDR},
	} {
		if setting.want != setting.have {
			return fmt.Errorf("it belongs to a landscape with %s %q, not %q, and that cannot be changed", setting.key, setting.have, setting.want)
		}
	}
	return nil
}

func checkLimits(p paths.Paths) error {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Max < minOpenFiles {
		return fmt.Errorf("only %d open files are allowed, %d are needed: raise the limit (ulimit -n)", files.Max, minOpenFiles)
	}
	dir := existingParent(p.Root())
	if err := syscall.Access(dir, 2 /* W_OK */); err != nil {
		return fmt.Errorf("%w %s: %s is not writable: %w", ErrState, p.Root(), dir, err)
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err == nil && fs.Bavail*uint64(fs.Bsize) < minFreeBytes {
		return fmt.Errorf("%w %s: only %d MiB of disk are free, %d are needed", ErrState, p.Root(), fs.Bavail*uint64(fs.Bsize)>>20, minFreeBytes>>20)
	}
	return nil
}

// checkAddresses finds listeners in the way of the front door and the node.
func checkAddresses(cfg *config.Landscape) error {
	if *cfg.FrontDoor.Port != 0 {
		if err := probe(frontDoorAddress(cfg, *cfg.FrontDoor.Port)); err != nil {
			return inUse(frontDoorAddress(cfg, *cfg.FrontDoor.Port), "front door", "--port or frontDoor.port", err)
		}
		if err := checkHandlers(cfg); err != nil {
			return err
		}
	}
	if cfg.Seed.Kind() {
		return nil
	}
	node := net.JoinHostPort(nodeIP(cfg), strconv.Itoa(kubeletPort))
	if err := probe(node); err != nil {
		return inUse(node, "kubelet of the seed", "seed.podCIDR, for example 127.66.0.0/16 (and seed.serviceCIDR 127.98.0.0/16)", err)
	}
	return nil
}

// checkHandlers finds listeners in the way of the front doors of exposure classes.
func checkHandlers(cfg *config.Landscape) error {
	for handler, address := range cfg.HandlerFrontDoors(*cfg.FrontDoor.Port) {
		if err := probe(address); err != nil {
			return inUse(address, fmt.Sprintf("front door of handler %q", handler), "serviceExternalIP of the handler, or frontDoor.port", err)
		}
	}
	return nil
}

// inUse keeps errors other than a taken address as they are.
func inUse(address, purpose, setting string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return &InUseError{Address: address, For: purpose, Setting: setting, Err: syscall.EADDRINUSE}
	}
	return fmt.Errorf("listen on %s for the %s: %w", address, purpose, err)
}

func probe(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return listener.Close()
}

func existingParent(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == "/" {
			return dir
		}
		dir = parent(dir)
	}
}
