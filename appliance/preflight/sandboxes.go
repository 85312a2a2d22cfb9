package preflight

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// tryTimeout bounds the start of an empty sandbox, which takes about a second.
const tryTimeout = 30 * time.Second

// containersCheck is the name of the check that decides about sandboxes.
const containersCheck = "containers"

// sandboxes starts a sandbox, unless the configuration says that containers are simulated, and decides whether they run in sandboxes. A kind seed decides
// nothing.
func sandboxes(cfg *config.Landscape, p paths.Paths) (trial.Decision, error) {
	if cfg.Seed.Kind() {
		return trial.Decision{}, nil
	}
	ran, err := ranSandboxes(p)
	if err != nil {
		return trial.Decision{}, err
	}
	if pause, paused := state.Paused(p); paused && ran && pause.Short(image.Version) && cfg.Containers != config.ContainersSimulate {
		return trial.Decision{Containers: config.ContainersSandbox}, nil // a trial takes as long as all other checks
	}
	return trial.Decide(trial.Question{Setting: cfg.Containers, Ran: ran, Try: trySandbox})
}

func trySandbox() error {
	dir, err := os.MkdirTemp("", "sandbox-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), tryTimeout)
	defer cancel()
	return pod.Try(ctx, dir)
}

// ranSandboxes reads the decision of an earlier start; a new landscape has none.
func ranSandboxes(p paths.Paths) (bool, error) {
	s, err := store.Read(p.Store())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer s.Close()
	return s.Sandboxes().Ran()
}

// said is what the check of containers has found.
func said(d trial.Decision) string {
	switch {
	case d.Containers == "":
		return "those of the container engine"
	case d.Containers == config.ContainersSandbox:
		return "gVisor sandboxes start"
	case d.Reason != "":
		return "simulated: " + d.Reason
	}
	return "simulated"
}

// Simulated is the warning about containers that are simulated although nobody asked for that; its state is OK otherwise.
func Simulated(d trial.Decision) doctor.Finding {
	finding := doctor.Finding{Check: containersCheck, State: doctor.OK, Message: said(d)}
	if d.Reason != "" {
		finding.State, finding.Cure = doctor.Warning, trial.Cure
	}
	return finding
}
