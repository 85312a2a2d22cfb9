package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// TestLimit raises a limit of the kernel as documented. Files stand in for the limit, so that nobody else notices.
func TestLimit(t *testing.T) {
	if os.Getuid() != 0 {
		testskip.OutsideCI(t, "only root can mount")
	}
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	limit := filepath.Join(t.TempDir(), "limit")
	if err := os.WriteFile(limit, []byte("16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const script = `for setting in fs/inotify/max_user_instances user/max_inotify_instances; do mount --bind "$LIMIT" "/proc/sys/$setting" || exit; done
eval "$1"`
	on := func(command string) string {
		t.Helper()
		cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", command)
		cmd.Env = append(os.Environ(), "LIMIT="+limit, "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin", "HOME="+t.TempDir(), "GARDENER_STATE_DIR="+t.TempDir())
		output, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, output)
		}
		return string(output)
	}
	t.Run("APP-36 the limit of inotify is raised as documented", func(t *testing.T) {
		cure := follow.Sentence(t, "docs/configuration.md", "sysctl fs.inotify.max_user_instances=8192")
		finding := regexp.MustCompile(`(?m)^inotify instances +(\w+) .*\n.*`)
		if told := finding.FindStringSubmatch(on(binary + " doctor")); told == nil || told[1] != "warning" || !strings.Contains(told[0], cure) {
			t.Errorf("doctor says %q, want a warning and %q", told, cure)
		}
		on(cure)
		if told := finding.FindStringSubmatch(on(binary + " doctor")); told == nil || told[1] != "ok" || strings.Contains(told[0], cure) {
			t.Errorf("after %q, doctor says %q", cure, told)
		}
	})
}
