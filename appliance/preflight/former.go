package preflight

import (
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// formerSettings looks for keys that former versions of the configuration had, and that have no effect any more.
func formerSettings(cfg *config.Landscape) doctor.Finding {
	if cfg.Garden.Requests.PriorityAndFairness == nil {
		return doctor.Finding{Check: "former settings", State: doctor.OK, Message: "the configuration has none"}
	}
	return doctor.Finding{
		Check: "former settings", State: doctor.Warning,
		Message: "garden.requests.priorityAndFairness has no effect: priority and fairness is always on",
		Cure:    "remove this key from the configuration",
	}
}
