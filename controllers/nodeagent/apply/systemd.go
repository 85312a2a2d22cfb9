package apply

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Systemd is the interface to the service manager of a machine. All calls may be repeated, with one or more units.
type Systemd interface {
	// Reload makes systemd read changed definitions.
	Reload(ctx context.Context) error
	// Enable and Disable set whether units start with the machine.
	Enable(ctx context.Context, units ...string) error
	Disable(ctx context.Context, units ...string) error
	// Start starts units that do not run. Restart restarts them. Stop stops them.
	Start(ctx context.Context, units ...string) error
	Restart(ctx context.Context, units ...string) error
	Stop(ctx context.Context, units ...string) error
}

// systemctlTimeout limits one call; systemd gives a unit 90 seconds to stop by default.
const systemctlTimeout = 2 * time.Minute

// Systemctl is the systemd of this machine.
type Systemctl struct {
	// NoWait starts units without waiting for them: units that are ordered after the calling one start when it is done.
	NoWait bool
}

// Reload implements Systemd.
func (s Systemctl) Reload(ctx context.Context) error { return s.run(ctx, "daemon-reload") }

// Enable implements Systemd.
func (s Systemctl) Enable(ctx context.Context, units ...string) error {
	return s.run(ctx, append([]string{"enable", "--quiet"}, units...)...)
}

// Disable implements Systemd.
func (s Systemctl) Disable(ctx context.Context, units ...string) error {
	return s.run(ctx, append([]string{"disable", "--quiet"}, units...)...)
}

// Start implements Systemd.
func (s Systemctl) Start(ctx context.Context, units ...string) error {
	return s.job(ctx, "start", units)
}

// Restart implements Systemd.
func (s Systemctl) Restart(ctx context.Context, units ...string) error {
	return s.job(ctx, "restart", units)
}

// Stop implements Systemd.
func (s Systemctl) Stop(ctx context.Context, units ...string) error {
	return s.job(ctx, "stop", units)
}

func (s Systemctl) job(ctx context.Context, verb string, units []string) error {
	args := []string{verb}
	if s.NoWait {
		args = append(args, "--no-block")
	}
	return s.run(ctx, append(args, units...)...)
}

func (s Systemctl) run(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, systemctlTimeout)
	defer cancel()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "systemctl", args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &output, &output, 5*time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(output.String()))
	}
	return nil
}
