// Package preflight checks this machine before a landscape starts and changes nothing. Any command may call it, also while
// the landscape runs.
package preflight

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/component-base/version"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/trial"
)

// Check returns the first reason why the landscape cannot start, and decides whether its containers run in sandboxes. It is quick, but for a second with
// sandboxes.
func Check(cfg *config.Landscape, p paths.Paths) (trial.Decision, error) {
	pid, err := daemon.LiveHolder(p.Lock())
	if err != nil {
		return trial.Decision{}, fmt.Errorf("%w %s: %w", state.ErrDirectory, p.Root(), err)
	}
	if pid != 0 {
		return trial.Decision{}, fmt.Errorf("%w (process %d)", daemon.ErrRunning, pid)
	}
	return CheckStopped(cfg, p)
}

// CheckStopped is Check for who holds the lock of the landscape.
func CheckStopped(cfg *config.Landscape, p paths.Paths) (decision trial.Decision, err error) {
	for _, c := range checks(cfg, p, &decision) {
		if _, err := c.run(); err != nil {
			return decision, fault.New(c.id, err)
		}
	}
	return decision, nil
}

// check is about one thing that a landscape cannot start without.
type check struct {
	name string
	// id is that of its errors, unless they have one.
	id fault.ID
	// run says what it has found.
	run func() (string, error)
}

// checks are in the order in which users can do something about them. The last one decides about sandboxes.
func checks(cfg *config.Landscape, p paths.Paths, decision *trial.Decision) []check {
	needs := needsOf(cfg.Seed.Provider)
	return []check{
		{"system", fault.System, needs.system},
		{"program", fault.Build, complete},
		{"state directory", fault.Directory, func() (string, error) {
			for _, check := range []func() error{func() error { return nameable(p.Root()) }, func() error { return checkState(cfg, p) }, func() error { return writable(p) }} {
				if err := check(); err != nil { // one reason is enough: the others often follow from it
					return "", fmt.Errorf("%w %s: %w", state.ErrDirectory, p.Root(), err)
				}
			}
			return p.Root(), nil
		}},
		{"disk", fault.Disk, func() (string, error) { return disk(p) }},
		{"open files", fault.Files, openFiles},
		{"front door", fault.Listen, func() (string, error) { return frontDoors(cfg) }},
		{"addresses", fault.Listen, func() (string, error) { return needs.addresses(cfg) }},
		{containersCheck, fault.Sandbox, func() (_ string, err error) {
			*decision, err = sandboxes(cfg, p)
			return said(*decision), err
		}},
	}
}

// complete reports a binary that was not built with the version of the servers in it.
func complete() (string, error) {
	built := version.Get().GitVersion
	if strings.HasPrefix(built, "v0.") {
		return "", errors.New("this binary was built without its Kubernetes version and cannot serve: build it with \"make build\"")
	}
	return "Kubernetes " + strings.TrimPrefix(built, "v"), nil
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
		return fault.New(fault.Foreign, errors.New("it contains other files and no landscape"))
	}
	id, err := state.StoredIdentity(p)
	if err != nil || id.Name == "" {
		return err
	}
	return state.Same(cfg, id)
}
