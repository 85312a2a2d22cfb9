package runtime

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

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
