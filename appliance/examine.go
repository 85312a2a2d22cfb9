package appliance

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// Examine looks at everything a landscape needs from this machine, and reports also what is fine. A node image that is not
// there is pulled; nothing else is changed.
func Examine(ctx context.Context, cfg *config.Landscape, p paths.Paths) []doctor.Finding {
	own := doctor.Finding{Check: "state, limits, addresses", State: doctor.OK, Message: "fine"}
	if err := Preflight(cfg, p); errors.Is(err, daemon.ErrRunning) {
		own.Message = "the landscape is running"
	} else if err != nil {
		own.State, own.Message, own.Cure = doctor.Problem, err.Error(), "see the message"
	}
	findings := []doctor.Finding{own}
	if !cfg.Seed.Kind() {
		return findings
	}
	return append(findings, ExamineEngine(ctx, cfg, p)...)
}

// ExamineEngine looks only at what nodes as containers need. The first finding is about the engine itself.
func ExamineEngine(ctx context.Context, cfg *config.Landscape, p paths.Paths) []doctor.Finding {
	ignored := IgnoredEngine(p) // before the environment is made to lead to the engine
	made, err := storedEngine(p)
	if err != nil {
		return []doctor.Finding{{Check: "state", State: doctor.Problem, Message: err.Error(), Cure: "see the message"}}
	}
	engine, err := findEngine(ctx, cfg.Name, made)
	findings := doctor.Examine(ctx, engine, err, cfg.Seed.NodeImage)
	if ignored != "" && err == nil {
		findings = append(findings, doctor.Finding{Check: "environment", State: doctor.Warning, Message: ignored,
			Cure: "purge the landscape to make it anew with another engine"})
	}
	return findings
}

// StoredProvider is the provider that a landscape was made with; empty if there is none yet or it cannot be told.
func StoredProvider(p paths.Paths) string {
	id, err := storedIdentity(p)
	if err != nil {
		return ""
	}
	return id.Provider
}
