package service

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var errBoom = errors.New("boom")

// systemd remembers what it was told.
type systemd struct {
	told  []string
	fails string // the verb that fails
}

func (s *systemd) run(_ context.Context, args ...string) (string, error) {
	s.told = append(s.told, strings.Join(args, " "))
	if s.fails != "" && slices.Contains(args, s.fails) {
		return "", errBoom
	}
	if slices.Contains(args, "is-active") {
		return "inactive", errBoom
	}
	return "enabled", nil
}

func unit(exec ...string) Unit {
	return Unit{Landscape: "local", Exec: append([]string{"/bin/true"}, exec...)}
}

func TestService(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := &systemd{}
	m, u := Manager{s.run}, unit("run")
	file, err := u.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-23 no unit is told", func(t *testing.T) {
		if _, err := m.Status(t.Context(), u); !errors.Is(err, ErrNone) {
			t.Errorf("status: %v", err)
		}
		if err := m.Uninstall(t.Context(), u); !errors.Is(err, ErrNone) || len(s.told) != 0 {
			t.Errorf("uninstall: %v, %q", err, s.told)
		}
	})
	t.Run("APP-23 without systemd nothing is written", func(t *testing.T) {
		broken := &systemd{fails: "daemon-reload"}
		if _, err := (Manager{broken.run}).Install(t.Context(), u, false); !errors.Is(err, ErrNoManager) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("the unit is there")
		}
	})
	t.Run("APP-23 a unit is installed without being started", func(t *testing.T) {
		other := Unit{Landscape: "other", Exec: []string{"/bin/true"}}
		if changed, err := (Manager{(&systemd{}).run}).Install(t.Context(), other, false); !changed || err != nil {
			t.Errorf("got %v, %v", changed, err)
		}
	})
	t.Run("APP-23 a unit is installed, again, and changed", func(t *testing.T) {
		if changed, err := m.Install(t.Context(), u, true); !changed || err != nil {
			t.Errorf("got %v, %v", changed, err)
		}
		want := []string{"--user daemon-reload", "--user daemon-reload", "--user enable gardener-local.service", "--user start gardener-local.service"}
		if !slices.Equal(s.told, want) {
			t.Errorf("told %q, want %q", s.told, want)
		}
		if changed, err := m.Install(t.Context(), u, false); changed || err != nil {
			t.Errorf("again: %v, %v", changed, err)
		}
		got, err := m.Status(t.Context(), unit("run", "other"))
		if err != nil || got != (Status{Unit: "gardener-local.service", File: file, Enabled: "enabled", Active: "inactive", Old: true}) {
			t.Errorf("status %+v, %v", got, err)
		}
		if changed, err := m.Install(t.Context(), unit("run", "other"), false); !changed || err != nil {
			t.Errorf("changed: %v, %v", changed, err)
		}
	})
	t.Run("APP-23 a unit is removed after it was stopped", func(t *testing.T) {
		broken := &systemd{fails: "disable"}
		if err := (Manager{broken.run}).Uninstall(t.Context(), u); !errors.Is(err, errBoom) || !Installed(u) {
			t.Errorf("got %v", err)
		}
		if err := m.Uninstall(t.Context(), u); err != nil || Installed(u) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("APP-23 units of others stay", func(t *testing.T) {
		if err := os.WriteFile(file, []byte("[Unit]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, install := m.Install(t.Context(), u, false)
		if uninstall := m.Uninstall(t.Context(), u); !errors.Is(install, ErrForeign) || !errors.Is(uninstall, ErrForeign) {
			t.Errorf("got %v, %v", install, uninstall)
		}
	})
}

func TestUnitIsRight(t *testing.T) {
	for _, system := range []bool{false, true} {
		u := unit("run", `--state-dir=/a "b" \c %h $HOME`)
		u.System, u.After = system, []string{"docker.service"}
		text := u.Text()
		if !strings.Contains(text, `ExecStart="/bin/true" "run" "--state-dir=/a \"b\" \\c %%h $$HOME"`+"\n") || !strings.Contains(text, "After=network.target docker.service\n") {
			t.Errorf("APP-23 the unit is\n%s", text)
		}
		analyze, err := exec.LookPath("systemd-analyze")
		if err != nil {
			continue // the text is what is tested everywhere
		}
		file := filepath.Join(t.TempDir(), u.Name())
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, _ := exec.CommandContext(t.Context(), analyze, "verify", file).CombinedOutput(); strings.Contains(string(out), u.Name()+":") {
			t.Errorf("APP-23 systemd-analyze says %s", out)
		}
	}
}
