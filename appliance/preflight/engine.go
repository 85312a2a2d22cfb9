package preflight

import (
	"context"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// ExamineEngine checks only what nodes in containers need. The first finding is about the container engine.
func ExamineEngine(ctx context.Context, cfg *config.Landscape, p paths.Paths) []doctor.Finding {
	ignored := engine.Ignored(p) // before the variables of the engine are set
	made, err := engine.Stored(p)
	if err != nil {
		return []doctor.Finding{problem("state", err)}
	}
	found, err := engine.Find(ctx, cfg.Name, made)
	findings := doctor.Examine(ctx, found, err, cfg.Seed.NodeImage)
	if ignored != "" && err == nil {
		findings = append(findings, doctor.Finding{Check: "environment", State: doctor.Warning, Message: ignored,
			Cure: "purge the landscape to make it anew with another engine"})
	}
	for i := range findings {
		if findings[i].State == doctor.Problem {
			findings[i].ID = string(fault.Engine)
		}
	}
	return findings
}
