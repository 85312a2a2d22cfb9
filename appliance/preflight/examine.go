package preflight

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// Examine checks everything that a landscape needs from this machine and also reports what is fine. It pulls a missing node
// image and changes nothing else.
func Examine(ctx context.Context, cfg *config.Landscape, p paths.Paths) []doctor.Finding {
	own := doctor.Finding{Check: "state, limits, addresses", State: doctor.OK, Message: "fine"}
	if err := Check(cfg, p); errors.Is(err, daemon.ErrRunning) {
		own.Message = "the landscape is running"
	} else if err != nil {
		own.State, own.Message, own.Cure = doctor.Problem, err.Error(), "see the message"
	}
	return append([]doctor.Finding{own, inotify()}, needsOf(cfg.Seed.Provider).engine(ctx, cfg, p)...)
}
