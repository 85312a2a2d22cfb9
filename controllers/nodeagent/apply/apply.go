package apply

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-logr/logr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Applier changes one machine. Calls must not overlap.
type Applier struct {
	// Root is "/" on a machine.
	Root string
	// Systemd of the machine.
	Systemd Systemd
	// Programs are directories that are searched first for the programs of images, by their base names. Machines whose
	// image contains the programs need no registry.
	Programs []string
	// Extract makes a file of an image available on the machine and returns its location. If it is nil, images are
	// refused.
	Extract func(ctx context.Context, image, path string) (string, error)
	// Pending is the absolute path, below Root, of the file that records which units have yet to be restarted.
	Pending string
	// Self is the calling unit, if any. It is never restarted.
	Self string
	// Log reports each change.
	Log logr.Logger
}

// Result is the result of a call.
type Result struct {
	// Changed are the written or removed paths.
	Changed []string
	// Restarted are units in the order in which they were restarted.
	Restarted []string
	// Self means that the calling unit has changed and should end, to be restarted.
	Self bool
}

// Apply applies a content. before is the last content that was applied completely, nil if there is none or it is
// unknown. Apply removes what before contains and the new content does not. It restarts only changed units. An
// interrupted call is completed by the next one.
func (a *Applier) Apply(ctx context.Context, content Content, before *Content) (Result, error) {
	entries, err := a.entries(ctx, content, before == nil)
	if err != nil {
		return Result{}, err
	}
	changed, err := a.differing(entries)
	if err != nil {
		return Result{}, err
	}
	var gone, stopped []string
	if before != nil {
		gone, stopped = vanished(*before, content)
	}
	pending, err := a.readPending()
	if err != nil {
		return Result{}, err
	}
	pending.note(content, changed, gone)
	if err := a.writePending(pending); err != nil { // before the first change, so that a later call knows which units to restart
		return Result{}, err
	}
	if len(stopped) > 0 {
		if err := errors.Join(a.Systemd.Stop(ctx, stopped...), a.Systemd.Disable(ctx, stopped...)); err != nil {
			a.Log.Info("Could not stop units that are not wanted any more", "units", stopped, "reason", err.Error())
		}
	}
	result := Result{Changed: gone}
	for _, path := range gone {
		if err := a.remove(path); err != nil {
			return result, err
		}
	}
	for _, e := range changed {
		if err := a.write(e); err != nil {
			return result, err
		}
		result.Changed = append(result.Changed, e.path)
	}
	if pending.Reload {
		if err := a.Systemd.Reload(ctx); err != nil {
			return result, fmt.Errorf("reload systemd: %w", err)
		}
	}
	if result.Restarted, err = a.runUnits(ctx, content.Units, pending.Units); err != nil {
		return result, err
	}
	result.Self = a.Self != "" && slices.Contains(pending.Units, a.Self)
	return result, a.forgetPending()
}

// runUnits starts, restarts or stops units as requested, and returns the restarted ones. Systemd knows their order.
func (a *Applier) runUnits(ctx context.Context, units []extensionsv1alpha1.Unit, changed []string) ([]string, error) {
	var enable, disable, stop, start, restart []string
	for _, unit := range units {
		if unit.Enable != nil && *unit.Enable {
			enable = append(enable, unit.Name)
		} else if unit.Enable != nil {
			disable = append(disable, unit.Name)
		}
		switch {
		case unit.Name == a.Self:
		case unit.Command != nil && *unit.Command == extensionsv1alpha1.CommandStop:
			stop = append(stop, unit.Name)
		case slices.Contains(changed, unit.Name):
			restart = append(restart, unit.Name)
		default:
			start = append(start, unit.Name)
		}
	}
	for _, step := range []struct {
		what  string
		call  func(context.Context, ...string) error
		units []string
	}{
		{"enable", a.Systemd.Enable, enable},
		{"disable", a.Systemd.Disable, disable},
		{"stop", a.Systemd.Stop, stop},
		{"restart", a.Systemd.Restart, restart},
		{"start", a.Systemd.Start, start},
	} {
		if len(step.units) == 0 {
			continue
		}
		if err := step.call(ctx, step.units...); err != nil {
			return nil, fmt.Errorf("%s units: %w", step.what, err)
		}
	}
	return restart, nil
}

// pending is the set of changes that systemd does not know yet.
type pending struct {
	Reload bool     `json:"reload,omitempty"`
	Units  []string `json:"units,omitempty"`
}

// note adds the units that the changes affect, through their definition or through the files they name.
func (p *pending) note(content Content, changed []entry, gone []string) {
	add := func(unit string) {
		if !slices.Contains(p.Units, unit) {
			p.Units = append(p.Units, unit)
		}
	}
	touched := slices.Clone(gone)
	for _, e := range changed {
		touched = append(touched, e.path)
		p.Reload = p.Reload || e.definition
		if e.unit != "" {
			add(e.unit)
		}
	}
	for _, path := range gone {
		if rest, ok := strings.CutPrefix(path, unitDir+"/"); ok {
			p.Reload = true
			if unit, isDropIn := strings.CutSuffix(filepath.Dir(rest), ".d"); isDropIn {
				add(unit)
			}
		}
	}
	for _, unit := range content.Units {
		if slices.ContainsFunc(unit.FilePaths, func(path string) bool { return slices.Contains(touched, filepath.Clean(path)) }) {
			add(unit.Name)
		}
	}
}
