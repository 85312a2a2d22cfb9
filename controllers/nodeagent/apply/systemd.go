package apply

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Systemd is what is asked of a machine's service manager. All calls may be repeated.
type Systemd interface {
	// Reload makes changed definitions known.
	Reload(ctx context.Context) error
	// Enable and Disable tell whether a unit starts with the machine.
	Enable(ctx context.Context, unit string) error
	Disable(ctx context.Context, unit string) error
	// Start starts a unit that does not run; Restart starts it anew; Stop ends it.
	Start(ctx context.Context, unit string) error
	Restart(ctx context.Context, unit string) error
	Stop(ctx context.Context, unit string) error
}

// systemctlTimeout bounds one call; a unit that is stopped has 90 seconds by default.
const systemctlTimeout = 2 * time.Minute

// Systemctl is the systemd of this machine.
type Systemctl struct {
	// NoWait hands starts over without waiting for them: units that are ordered after the calling one start when that is done.
	NoWait bool
}

// Reload implements Systemd.
func (s Systemctl) Reload(ctx context.Context) error { return s.run(ctx, "daemon-reload") }

// Enable implements Systemd.
func (s Systemctl) Enable(ctx context.Context, unit string) error {
	return s.run(ctx, "enable", "--quiet", unit)
}

// Disable implements Systemd.
func (s Systemctl) Disable(ctx context.Context, unit string) error {
	return s.run(ctx, "disable", "--quiet", unit)
}

// Start implements Systemd.
func (s Systemctl) Start(ctx context.Context, unit string) error { return s.job(ctx, "start", unit) }

// Restart implements Systemd.
func (s Systemctl) Restart(ctx context.Context, unit string) error {
	return s.job(ctx, "restart", unit)
}

// Stop implements Systemd.
func (s Systemctl) Stop(ctx context.Context, unit string) error { return s.job(ctx, "stop", unit) }

func (s Systemctl) job(ctx context.Context, verb, unit string) error {
	if s.NoWait {
		return s.run(ctx, verb, "--no-block", unit)
	}
	return s.run(ctx, verb, unit)
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
