package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Errors of a Manager.
var (
	// ErrNoManager means that this machine, or this user, has no systemd that answers.
	ErrNoManager = errors.New("no systemd answers")
	// ErrForeign means that somebody else has made the unit.
	ErrForeign = errors.New(`the unit was not made by "gardener service install"`)
	// ErrNone means that there is no unit.
	ErrNone = errors.New("there is no unit")
)

// Manager installs units.
type Manager struct {
	// Run runs systemctl with arguments, and returns what it prints.
	Run func(ctx context.Context, args ...string) (string, error)
}

// Systemctl is the Run of a Manager.
func Systemctl(ctx context.Context, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, "systemctl", args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(out.String()), err
}

// Status is how a unit is.
type Status struct {
	Unit string `json:"unit"`
	File string `json:"file"`
	// System says that the system starts it, not the manager of the user.
	System bool `json:"system"`
	// Enabled and Active are words of systemctl, such as enabled and active. They are empty if no systemd answers.
	Enabled string `json:"enabled,omitempty"`
	Active  string `json:"active,omitempty"`
	// Old says that the file is not what this binary would write now.
	Old bool `json:"old,omitempty"`
}

// Install writes the unit, or replaces it, and enables it. With start it starts it, too. changed is false if it was there.
func (m Manager) Install(ctx context.Context, u Unit, start bool) (changed bool, _ error) {
	file, err := u.File()
	if err != nil {
		return false, err
	}
	before, err := ours(file)
	if err != nil && !errors.Is(err, ErrNone) {
		return false, err
	}
	if _, err := m.run(ctx, u, "daemon-reload"); err != nil { // before anything is written
		return false, fmt.Errorf("%w: %w", ErrNoManager, err)
	}
	if before != u.Text() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return false, err
		}
		if err := atomicfile.Write(file, []byte(u.Text()), 0o644); err != nil {
			return false, err
		}
		if _, err := m.run(ctx, u, "daemon-reload"); err != nil {
			return false, err
		}
	}
	if _, err := m.run(ctx, u, "enable", u.Name()); err != nil {
		return false, err
	}
	changed = before != u.Text()
	if start {
		_, err := m.run(ctx, u, "start", u.Name())
		return changed, err
	}
	return changed, nil
}

// Uninstall stops the unit and removes it.
func (m Manager) Uninstall(ctx context.Context, u Unit) error {
	file, err := u.File()
	if err != nil {
		return err
	}
	if _, err := ours(file); err != nil {
		return err
	}
	if _, err := m.run(ctx, u, "disable", "--now", u.Name()); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil {
		return err
	}
	_, err = m.run(ctx, u, "daemon-reload")
	return err
}

// Status looks at a unit that is installed.
func (m Manager) Status(ctx context.Context, u Unit) (Status, error) {
	file, err := u.File()
	if err != nil {
		return Status{}, err
	}
	text, err := ours(file)
	if err != nil {
		return Status{}, err
	}
	s := Status{Unit: u.Name(), File: file, System: u.System, Old: text != u.Text()}
	s.Enabled, _ = m.run(ctx, u, "is-enabled", u.Name()) // both end with an error for other words, too
	s.Active, _ = m.run(ctx, u, "is-active", u.Name())
	return s, nil
}

// Installed tells whether there is a unit of ours.
func Installed(u Unit) bool {
	file, err := u.File()
	if err != nil {
		return false
	}
	_, err = ours(file)
	return err == nil
}

func (m Manager) run(ctx context.Context, u Unit, args ...string) (string, error) {
	if !u.System {
		args = append([]string{"--user"}, args...)
	}
	return m.Run(ctx, args...)
}

// ours reads a unit that we have made.
func ours(file string) (string, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", file, ErrNone)
	}
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(string(text), made+"\n") {
		return "", fmt.Errorf("%s: %w", file, ErrForeign)
	}
	return string(text), nil
}
