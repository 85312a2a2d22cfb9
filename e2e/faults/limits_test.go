package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// TestLimits is one landscape of a user whose shell allows few open files and whose home is read-only.
func TestLimits(t *testing.T) {
	t.Parallel()
	l := framework.New(t)
	onLimitedMachine(t, l)
	refused := func(t *testing.T, id fault.ID, says string, flags ...string) {
		t.Helper()
		l := l.For(t)
		r := l.Run(append([]string{"up"}, flags...)...)
		if r.Code == 0 || !strings.Contains(r.Stderr, string(id)) || !strings.Contains(r.Stderr, says) {
			t.Errorf("up ends with %d, want %s and %q:\n%s", r.Code, id, says, r.Stderr)
		}
		if l.Daemon() != 0 {
			t.Error("a daemon runs")
		}
	}
	home := filepath.Join(l.Dir, "home")
	t.Run("APP-35 a hard limit of 256 open files is refused", func(t *testing.T) {
		l.Env = append(l.Env, "LIMIT=ulimit -n 256") // the last one counts
		refused(t, fault.Files, "only 256 open files are allowed")
	})
	l.Env = append(l.Env, "LIMIT=ulimit -n 4096; ulimit -S -n 256")
	t.Run("APP-35 a state directory in a read-only home is refused", func(t *testing.T) {
		refused(t, fault.Directory, "is not writable", "--state-dir="+filepath.Join(home, ".local", "state"))
	})
	t.Run("APP-35 a soft limit of 256 is raised, and a state directory outside of a read-only home is used", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("up", "--state-dir="+l.StateDir)
		limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", l.Daemon()))
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max open files 4095 4096 files") { // Go raises it to one below the hard limit
			t.Errorf("limits of the daemon: %v\n%s", err, limits)
		}
		mounts, err := os.ReadFile(fmt.Sprintf("/proc/%d/mounts", l.Daemon()))
		if err != nil || !strings.Contains(string(mounts), " "+home+" tmpfs ro,") {
			t.Errorf("the daemon can write its home: %v\n%s", err, mounts)
		}
		l.Gardener("shoot", "create", "sun", "-n", "garden-local")
		l.Kubectl(l.Shoot("garden-local", "sun"), "get", "nodes")
	})
}

// onLimitedMachine lets commands run as an ordinary user whose home is read-only, after the commands in $LIMIT.
func onLimitedMachine(t *testing.T, l *framework.Landscape) {
	t.Helper()
	if os.Getuid() != 0 {
		testskip.OutsideCI(t, "only root can mount and become another user")
	}
	const script = `#!/bin/sh
chown %[1]d:%[1]d "$HOME" "$HOME"/*
exec unshare --mount --propagation private sh -c 'mount -t tmpfs -o ro none "$READ_ONLY" && eval "$LIMIT" &&
exec setpriv --reuid %[1]d --regid %[1]d --clear-groups env HOME="$READ_ONLY" "$0" "$@"' '%[2]s' "$@"
`
	if err := os.Chmod(filepath.Dir(l.Dir), 0o755); err != nil { // other users cannot enter it otherwise
		t.Fatal(err)
	}
	binary, wrapper := filepath.Join(l.Dir, "binary"), filepath.Join(l.Dir, "gardener")
	if output, err := exec.Command("cp", l.Binary, binary).CombinedOutput(); err != nil { // from where the user may not read
		t.Fatalf("copy the binary: %v\n%s", err, output)
	}
	for _, err := range []error{os.Mkdir(filepath.Join(l.Dir, "home"), 0o755), os.WriteFile(wrapper, fmt.Appendf(nil, script, nobody, binary), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	l.Env = append(l.Env, "READ_ONLY="+filepath.Join(l.Dir, "home"), "LIMIT=true")
	l.Binary, l.Apart = wrapper, true
}
