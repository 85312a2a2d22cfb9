package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// ordinary is the number of a user who is not root.
const ordinary = 1000

// TestNamespaces asks an ordinary user's doctor on a system without user namespaces: one in which no further one can be made.
func TestNamespaces(t *testing.T) {
	if os.Getuid() != 0 {
		testskip.OutsideCI(t, "only root can map another user")
	}
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "gardener-e2e-namespaces-") // which other users reach
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	program := filepath.Join(home, "gardener")
	if output, err := exec.Command("cp", binary, program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if err := os.Chown(home, ordinary, ordinary); err != nil {
		t.Fatal(err)
	}
	mappings := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: ordinary, HostID: ordinary, Size: 1}}
	ask := func(most, verb string) (string, int) {
		t.Helper()
		cmd := exec.Command("sh", "-c", `echo `+most+` >/proc/sys/user/max_user_namespaces && exec setpriv --reuid 1000 --regid 1000 --clear-groups "$0" "$@"`, program, verb)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: mappings, GidMappings: mappings, GidMappingsEnableSetgroups: true}
		output, _ := cmd.CombinedOutput()
		return string(output), cmd.ProcessState.ExitCode()
	}
	const finding, cure = "this system forbids user namespaces to ordinary users", "user.max_user_namespaces=15000"
	for _, verb := range []string{"doctor", "up"} {
		t.Run("APP-35 "+verb+" says that a system forbids user namespaces, and how to allow them", func(t *testing.T) {
			if said, code := ask("0", verb); code != 1 || !strings.Contains(said, finding) || !strings.Contains(said, cure) {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
	}
	t.Run("APP-35 doctor says nothing about a system that allows them", func(t *testing.T) {
		if said, _ := ask("15000", "doctor"); strings.Contains(said, finding) || !strings.Contains(said, "Linux") {
			t.Errorf("doctor says: %s", said)
		}
	})
}
