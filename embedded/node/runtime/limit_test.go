package runtime

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

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

func TestKernelEndsProcessesOfPodsFirst(t *testing.T) {
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		testskip.OutsideCI(t, "only Linux has an order")
	}
	for asked, want := range map[int64]string{999: "999", -997: strings.TrimSpace(string(own))} {
		t.Run(fmt.Sprintf("APP-19 the kubelet asks for %d", asked), func(t *testing.T) {
			dir := t.TempDir()
			pod := &testPod{runtime: newRuntime(t, dir), dir: dir, oomScore: asked}
			pod.mustStart(t, "stubborn")
			pid := pod.runtime.containers[pod.container].record.Process.PID
			got, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
			if err != nil || strings.TrimSpace(string(got)) != want {
				t.Errorf("score %s (%v), want %s", got, err, want)
			}
		})
	}
}
