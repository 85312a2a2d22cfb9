// Package schedule makes backups of a landscape that runs at the times of its configuration. Each is made by a process of its own, so that the
// memory that it takes goes with it.
package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/robfig/cron/v3"
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// PartName is that of the part.
const PartName = "backups"

const (
	// retry is the pause after a failure.
	retry = 5 * time.Minute
	// longest bounds one backup. It may go to a bucket behind a slow line.
	longest = 6 * time.Hour
	// patience is how long one that is interrupted may clean up.
	patience = 10 * time.Second
)

// Schedule makes backups.
type Schedule struct {
	Config *config.Backup
	Paths  paths.Paths
	// Make makes a backup, and may warn. It is Command in a landscape.
	Make func(context.Context) (warning string, err error)
	Now  func() time.Time
	// Wait waits until a time, or the end of the context.
	Wait func(context.Context, time.Time) error
	Log  logr.Logger

	warning atomic.Pointer[string]
}

// Component is the part of a landscape that makes them.
type Component struct {
	*loop.Loop
	of *Schedule
}

// Component returns the part.
func (s *Schedule) Component() Component { return Component{loop.New(PartName, s.Run, nil), s} }

// Warning implements component.Warner.
func (c Component) Warning() (text string, refuses bool) {
	if warning := c.of.warning.Load(); warning != nil {
		return *warning, false
	}
	return "", false
}

// Run makes backups until the context ends. What was missed is made up for once.
func (s *Schedule) Run(ctx context.Context) error {
	times, err := s.Config.Next()
	if err != nil {
		return err
	}
	due, err := s.first(times)
	if err != nil {
		return err
	}
	for {
		if err := s.Wait(ctx, due); err != nil {
			return nil // the end
		}
		due = s.try(ctx, times)
	}
}

// first is when the next backup is due. The time of the last one is kept, and that of the first start in its place.
func (s *Schedule) first(times cron.Schedule) (time.Time, error) {
	text, err := os.ReadFile(s.file())
	if last, parseErr := time.Parse(time.RFC3339, strings.TrimSpace(string(text))); err == nil && parseErr == nil {
		return times.Next(last.Local()), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return time.Time{}, err
	}
	now := s.Now()
	return times.Next(now), s.note(now)
}

// try makes a backup, and returns when the next one is due.
func (s *Schedule) try(ctx context.Context, times cron.Schedule) time.Time {
	begun := s.Now()
	warning, err := s.Make(ctx)
	if err == nil {
		err = s.note(begun)
	}
	if err == nil {
		s.Log.Info("The landscape is backed up", "to", s.Config.To, "warning", warning)
		s.warn(warning)
		return times.Next(s.Now())
	}
	if ctx.Err() == nil {
		s.Log.Error(err, "The landscape cannot be backed up; will try again", "to", s.Config.To)
		s.warn(fmt.Sprintf("the backup of %s failed and is tried again: %v", begun.Local().Format(time.DateTime), err))
	}
	return s.Now().Add(retry)
}

// warn is what the status of the part says; an empty text is no warning.
func (s *Schedule) warn(text string) {
	if text == "" {
		s.warning.Store(nil)
		return
	}
	s.warning.Store(&text)
}

func (s *Schedule) file() string { return s.Paths.Run().Backup() + ".last" }

func (s *Schedule) note(at time.Time) error {
	return atomicfile.Write(s.file(), []byte(at.UTC().Format(time.RFC3339)+"\n"), 0o600)
}

// Until is Wait with the clock of the machine, which may be changed, and which goes on while the machine sleeps.
func Until(ctx context.Context, due time.Time) error {
	return wallclock.Until(ctx, clock.RealClock{}, due)
}

// Command is Make by the verb of the command line.
func Command(executable string, c *config.Backup, p paths.Paths) func(context.Context) (string, error) {
	args := []string{"backup", "create", "--quiet", "--landscape-config=" + p.Run().Config(), "--state-dir=" + p.Root(), "--to=" + c.To, "--keep=" + strconv.Itoa(int(*c.Keep))}
	if c.EncryptToFile != "" {
		args = append(args, "--encrypt-to="+c.EncryptToFile)
	}
	if c.PassphraseFile != "" {
		args = append(args, "--passphrase-file="+c.PassphraseFile)
	}
	return func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, executable, args...)
		cmd.Stderr = &said
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
		cmd.WaitDelay = patience
		err := cmd.Run()
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, first)
		}
		return strings.TrimPrefix(first, "warning: "), nil
	}
}
