package operatingsystemconfig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestUserForSSH(t *testing.T) {
	t.Run("BST-14 machines get the keys, and the service that maintains their user", func(t *testing.T) {
		v := values()
		v.SSHPublicKeys = []byte("ssh-rsa new\nssh-rsa old\n")
		_, reconcile, err := Objects(v)
		if err != nil {
			t.Fatal(err)
		}
		unit := unitsOf(reconcile)["gardener-user.service"]
		if got := contents(reconcile)["/var/lib/gardener-user-authorized-keys"]; got != string(v.SSHPublicKeys) || !slices.Contains(unit.FilePaths, "/var/lib/gardener-user-authorized-keys") {
			t.Errorf("keys are %q, unit is %+v", got, unit)
		}
	})
	t.Run("a shoot without SSH has no such service", func(t *testing.T) {
		_, reconcile, err := Objects(values())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := unitsOf(reconcile)["gardener-user.service"]; ok {
			t.Error("it has")
		}
	})
	t.Run("BST-14 what somebody writes into authorized_keys is taken back", func(t *testing.T) { runUserScript(t) })
}

// runUserScript runs the script with commands for users that do nothing.
func runUserScript(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	install, err := exec.LookPath("install")
	if err != nil {
		t.Fatal("this system has no install, which the script of nodes needs")
	}
	for name, content := range map[string]string{
		"id": "#!/bin/sh\nexit 0\n",
		// without the options for an owner, whom only root can set
		"install": "#!/bin/bash\nargs=()\nwhile (($#)); do if [[ $1 == -o ]]; then shift 2; else args+=(\"$1\"); shift; fi; done\nexec " + install + " \"${args[@]}\"\n",
		"run.sh":  userScript,
		"keys":    "ssh-rsa new\nssh-rsa old\n",
	} {
		if err := os.WriteFile(at(name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("sudoers.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, at("run.sh"))
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GARDENER_USER_KEYS="+at("keys"), "GARDENER_USER_HOME="+at("home"),
		"GARDENER_USER_SUDOERS="+at("sudoers.d"), "GARDENER_USER_INTERVAL=0.05")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // killed
	}()
	await := func(want string) {
		t.Helper()
		testwait.For(t, 30*time.Second, "authorized_keys", func() error {
			if got, _ := os.ReadFile(at("home/.ssh/authorized_keys")); string(got) != want {
				return fmt.Errorf("they are %q, want %q", got, want)
			}
			return nil
		})
	}
	await("ssh-rsa new\nssh-rsa old\n")
	if err := os.WriteFile(at("home/.ssh/authorized_keys"), []byte("ssh-rsa stranger\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	await("ssh-rsa new\nssh-rsa old\n")
	if err := os.WriteFile(at("keys"), []byte("ssh-rsa newest\nssh-rsa new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	await("ssh-rsa newest\nssh-rsa new\n") // the third key takes the place of the first
	if sudoers, err := os.ReadFile(at("sudoers.d/99-gardener-user")); err != nil || !strings.Contains(string(sudoers), "gardener ALL=") {
		t.Errorf("rights are %q, %v", sudoers, err)
	}
}
