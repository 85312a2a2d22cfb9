package preflight

import (
	"context"
	"fmt"
	"slices"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// Examine checks everything that a landscape needs from this machine and also reports what is fine. It pulls a missing node
// image and changes nothing else.
func Examine(ctx context.Context, cfg *config.Landscape, p paths.Paths) []doctor.Finding {
	return slices.Concat(required(cfg, p), []doctor.Finding{memory(), inotify(), checkNetworks(cfg, networks()), formerSettings(cfg)}, needsOf(cfg.Seed.Provider).engine(ctx, cfg, p))
}

// required are the findings about what a landscape cannot start without. A running one has it: what it has taken is not looked for again.
func required(cfg *config.Landscape, p paths.Paths) []doctor.Finding {
	pid, err := daemon.LiveHolder(p.Lock())
	switch {
	case err != nil:
		return []doctor.Finding{problem("state directory", fmt.Errorf("%w %s: %w", state.ErrDirectory, p.Root(), err))}
	case pid != 0:
		return []doctor.Finding{{Check: "landscape", State: doctor.OK, Message: fmt.Sprintf("is running (process %d)", pid)}}
	}
	var findings []doctor.Finding
	var decision trial.Decision
	for _, c := range checks(cfg, p, &decision) {
		finding := doctor.Finding{Check: c.name, State: doctor.OK}
		if finding.Message, err = c.run(); err != nil {
			finding = problem(c.name, fault.New(c.id, err))
		} else if c.name == containersCheck {
			finding = Simulated(decision)
		}
		findings = append(findings, finding)
	}
	return append(findings, userFindings(decision, p)...)
}

// Warnings are about what a landscape can start without.
func Warnings(cfg *config.Landscape) []doctor.Finding {
	return slices.DeleteFunc([]doctor.Finding{inotify(), checkNetworks(cfg, networks()), formerSettings(cfg)}, func(f doctor.Finding) bool { return f.State == doctor.OK })
}
