package machine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

// page is the document whose commands the test runs.
const page = "docs/pause.md"

// TestService restarts a machine whose user has a landscape.
func TestService(t *testing.T) {
	s := newSystem(t)
	state := func(t *testing.T) string {
		t.Helper()
		return strings.TrimSpace(s.asUser(t, "systemctl --user is-active gardener-local || true"))
	}
	t.Run("APP-23 the unit of a user who lingers starts the landscape with the machine", func(t *testing.T) {
		if out := s.example(t, follow.Example(t, "gardener service install")); !strings.Contains(out, `unit gardener-local.service is installed and starts landscape "local"`) {
			t.Errorf("it says %q", out)
		}
		s.asUser(t, follow.Sentence(t, page, "loginctl enable-linger"))
		s.reboot(t)
		if users := s.asRoot(t, "loginctl", "list-sessions", "--no-legend"); users != "" {
			t.Errorf("somebody has logged in: %s", users)
		}
		s.await(t, "active")
		s.asUser(t, "gardener status")
		if out := s.example(t, follow.Example(t, "gardener service status")); !regexp.MustCompile(`gardener-local.service +enabled +active`).MatchString(out) {
			t.Errorf("it says %q", out)
		}
		if out := s.example(t, follow.Example(t, "gardener service status -o json")); !strings.Contains(out, `"active": "active"`) {
			t.Errorf("it says %q", out)
		}
	})
	t.Run("APP-36 a landscape that is down is started again by its unit", func(t *testing.T) {
		s.asUser(t, "gardener down")
		if got := state(t); got != "inactive" {
			t.Errorf("after down, the unit is %s", got)
		}
		s.asUser(t, follow.Sentence(t, page, "systemctl --user start gardener-local"))
		s.asUser(t, "gardener status")
	})
	t.Run("APP-36 the journal has the log", func(t *testing.T) {
		if log := s.asUser(t, follow.Sentence(t, page, "journalctl --user -u gardener-local")); !strings.Contains(log, "Gardener landscape local") {
			t.Error("it has none")
		}
	})
	t.Run("APP-36 a landscape below the user's service manager has its control group", func(t *testing.T) { s.inScope(t) })
	t.Run("APP-23 without the unit the landscape is down, and goes", func(t *testing.T) {
		s.example(t, follow.Example(t, "gardener service uninstall"))
		if got := state(t); got != "inactive" {
			t.Errorf("the unit is %s", got)
		}
		s.example(t, follow.Example(t, "gardener service install --now"))
		if got := state(t); got != "active" {
			t.Errorf("the unit is %s", got)
		}
		s.asUser(t, "gardener down --purge --yes && gardener service uninstall")
	})
}

// inScope starts the landscape as documented for control groups. The daemon has to be in a group of its own, which outlives the session that made it
// and in which the user may make others.
func (s *system) inScope(t *testing.T) {
	s.asUser(t, "gardener down")
	s.asUser(t, follow.Sentence(t, "docs/containers.md", "systemd-run --user --scope gardener up"))
	const look = `sed -n 's/^0:://p' "/proc/$(pgrep -u "$(id -u)" -f " [d]aemon --landscape-config=" | head -1)/cgroup"`
	group := strings.TrimSpace(s.asUser(t, look))
	if !regexp.MustCompile(`/user@\d+\.service/app\.slice/run-[^/]+\.scope$`).MatchString(group) {
		t.Fatalf("the group of the daemon is %q", group)
	}
	s.asUser(t, fmt.Sprintf(`mkdir "/sys/fs/cgroup%[1]s/own" && rmdir "/sys/fs/cgroup%[1]s/own"`, group))
	// Where the kernel offers the controllers in version 2, the landscape uses them. Version 1 may have them on this machine.
	offered := strings.Fields(s.asUser(t, `cat "/sys/fs/cgroup`+group+`/cgroup.controllers"`))
	var status struct {
		Containers string `json:"containers"`
	}
	if err := json.Unmarshal([]byte(s.asUser(t, "gardener status -o json")), &status); err != nil {
		t.Fatal(err)
	}
	t.Logf("controllers %q, containers: %s", offered, status.Containers)
	if slices.Contains(offered, "memory") != strings.Contains(status.Containers, "control groups of version 2 ") {
		t.Errorf("with the controllers %q, status says %q", offered, status.Containers)
	}
	s.asUser(t, "gardener down")
	s.asUser(t, follow.Sentence(t, page, "systemctl --user start gardener-local"))
}

// example runs a command of the reference as the user.
func (s *system) example(t *testing.T, steps []console.Step) string {
	t.Helper()
	return s.asUser(t, steps[0].Command)
}

// await waits for the state of the unit without a session of its user, which would start it.
func (s *system) await(t *testing.T, want string) {
	t.Helper()
	const look = `exec setpriv --reuid "$0" --regid "$0" --clear-groups env XDG_RUNTIME_DIR="/run/user/$(id -u "$0")" systemctl --user is-active gardener-local`
	began, state := time.Now(), ""
	for ; time.Since(began) < 3*time.Minute && state != want; <-time.After(500 * time.Millisecond) {
		output, _ := s.enter("sh", "-c", look, userName).CombinedOutput()
		if state = strings.TrimSpace(string(output)); state == "failed" {
			break
		}
	}
	if state != want {
		t.Fatalf("after %s the unit is %q, want %s", time.Since(began), state, want)
	}
	t.Logf("the unit is %s after %s", state, time.Since(began))
}
