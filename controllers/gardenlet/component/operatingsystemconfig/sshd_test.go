package operatingsystemconfig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestSSHServer(t *testing.T) {
	for name, tc := range map[string]struct {
		keys, want string
	}{
		"BST-12 the SSH server of a machine runs":                          {"ssh-rsa key\n", "enable --now ssh.service\n"},
		"BST-12 the SSH server of a shoot without SSH access does not run": {"", "disable --now ssh.service\npkill -x sshd\n"},
	} {
		t.Run(name, func(t *testing.T) {
			v := values()
			v.SSHPublicKeys = []byte(tc.keys)
			_, reconcile, err := Objects(v)
			if err != nil {
				t.Fatal(err)
			}
			if unit := unitsOf(reconcile)["sshd-ensurer.service"]; unit.Content == nil || !strings.Contains(*unit.Content, pathSSHD) {
				t.Errorf("unit %+v", unit)
			}
			runSSHDScript(t, contents(reconcile)[pathSSHD], tc.want)
		})
	}
}

// runSSHDScript runs the script on a system with a service ssh, which is in the other state than it should be.
func runSSHDScript(t *testing.T, script, want string) {
	t.Helper()
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	active := "0"
	if strings.HasPrefix(want, "enable") {
		active = "3"
	}
	systemctl := `#!/bin/sh
case "$1 $2" in
"cat ssh.service") exit 0 ;;
"cat sshd.service") exit 1 ;;
"is-active --quiet") [ -e ` + calls + ` ] && exit $((3 - ` + active + `)); exit ` + active + ` ;;
esac
echo "$*" >>` + calls + "\n"
	for name, content := range map[string]string{"systemctl": systemctl, "pkill": "#!/bin/sh\necho pkill \"$*\" >>" + calls + "\n", "run.sh": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "run.sh"))
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SSHD_ENSURER_INTERVAL=0.05")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // killed
	}()
	testwait.Until(t, "calls", func() error {
		if got, _ := os.ReadFile(calls); string(got) != want {
			return fmt.Errorf("they are %q, want %q", got, want)
		}
		return nil
	})
}
