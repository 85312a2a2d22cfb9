// Package preflight checks this machine before a landscape starts and changes nothing. Any command may call it, also while
// the landscape runs.
package preflight

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"k8s.io/component-base/version"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
)

const (
	// minFreeBytes is enough for etcd, logs and certificates of a small landscape.
	minFreeBytes = 512 << 20
	// minOpenFiles is enough for three shoots. Every child process has a limit of its own.
	minOpenFiles = 1024
)

// Check returns the first reason why the landscape cannot start. It is quick.
func Check(cfg *config.Landscape, p paths.Paths) error {
	pid, err := daemon.LiveHolder(p.Lock())
	if err != nil {
		return fmt.Errorf("%w %s: %w", state.ErrDirectory, p.Root(), err)
	}
	if pid != 0 {
		return fmt.Errorf("%w (process %d)", daemon.ErrRunning, pid)
	}
	return CheckStopped(cfg, p)
}

// CheckStopped is Check for who holds the lock of the landscape.
func CheckStopped(cfg *config.Landscape, p paths.Paths) error {
	if err := needsOf(cfg.Seed.Provider).system(); err != nil {
		return err
	}
	if strings.HasPrefix(version.Get().GitVersion, "v0.") {
		return errors.New("this binary was built without its Kubernetes version and cannot serve: build it with \"make build\"")
	}
	if err := errors.Join(needsOf(cfg.Seed.Provider).directory(p.Root()), checkState(cfg, p)); err != nil {
		return fmt.Errorf("%w %s: %w", state.ErrDirectory, p.Root(), err)
	}
	if err := checkLimits(p); err != nil {
		return err
	}
	if err := checkFrontDoors(cfg); err != nil {
		return err
	}
	return needsOf(cfg.Seed.Provider).addresses(cfg)
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
	if err := ledger.Check(p); err != nil {
		return err
	}
	if _, err := os.Stat(p.Store()); errors.Is(err, os.ErrNotExist) {
		if state.OnlyOurs(p) {
			return nil // an earlier start ended before it could write the store
		}
		return errors.New("it contains other files and no landscape")
	}
	id, err := state.StoredIdentity(p)
	if err != nil || id.Name == "" {
		return err
	}
	return state.Same(cfg, id)
}

func checkLimits(p paths.Paths) error {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Max < minOpenFiles {
		return fmt.Errorf("only %d open files are allowed, %d are needed: raise the limit (ulimit -n)", files.Max, minOpenFiles)
	}
	dir := existingParent(p.Root())
	if err := syscall.Access(dir, 2 /* W_OK */); err != nil {
		return fmt.Errorf("%w %s: %s is not writable: %w", state.ErrDirectory, p.Root(), dir, err)
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err == nil && fs.Bavail*uint64(fs.Bsize) < minFreeBytes {
		return fmt.Errorf("%w %s: only %d MiB of disk are free, %d are needed", state.ErrDirectory, p.Root(), fs.Bavail*uint64(fs.Bsize)>>20, minFreeBytes>>20)
	}
	return nil
}

func existingParent(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == "/" {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
