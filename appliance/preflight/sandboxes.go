package preflight

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// tryTimeout bounds the start of an empty sandbox, which takes about a second.
const tryTimeout = 30 * time.Second

// sandboxes starts a sandbox if the nodes of shoots shall run containers in sandboxes.
func sandboxes(cfg *config.Landscape) (string, error) {
	switch {
	case cfg.Seed.Kind():
		return "those of the container engine", nil
	case cfg.Containers != config.ContainersSandbox:
		return "simulated", nil
	}
	dir, err := os.MkdirTemp("", "sandbox-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), tryTimeout)
	defer cancel()
	if err := pod.Try(ctx, dir); err != nil {
		return "", fmt.Errorf("containers: sandbox: no gVisor sandbox starts on this machine; set containers: simulate, or see docs/containers.md: %w", err)
	}
	return "gVisor sandboxes start", nil
}
