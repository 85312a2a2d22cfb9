//go:build !race

package runtime

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// TestMemoryIsLimited runs without the race detector, which takes more memory for itself than the test allows.
func TestMemoryIsLimited(t *testing.T) {
	if _, err := os.Stat("/proc/self/oom_score_adj"); err != nil {
		testskip.OutsideCI(t, "processes have limits on Linux only")
	}
	const most = 512 << 20
	for name, tc := range map[string]struct {
		size int
		code int32
		log  string
	}{
		"APP-19 a process that wants more than its limit ends": {2 * most, 2, "out of memory"},
		"APP-19 a process may have less":                       {most / 8, 0, "grown"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			config := testConfig(dir)
			config.MemoryLimit = func(args []string) uint64 {
				if args[0] != "grow" {
					t.Errorf("asked for the limit of %q", args)
				}
				return most
			}
			pod := &testPod{runtime: runtimeOf(t, config), dir: dir}
			pod.mustStart(t, "grow", strconv.Itoa(tc.size))
			if status := pod.awaitExit(t); status.GetExitCode() != tc.code || !strings.Contains(pod.log(t), tc.log) {
				t.Errorf("code %d, log %.300s", status.GetExitCode(), pod.log(t))
			}
		})
	}
}
