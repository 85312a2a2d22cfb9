package runtime

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

func TestKernelEndsProcessesOfPodsFirst(t *testing.T) {
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		testskip.OutsideCI(t, "only Linux has an order")
	}
	present, err := strconv.ParseInt(strings.TrimSpace(string(own)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[int64]string{999: strconv.FormatInt(max(999, present), 10), -997: strconv.FormatInt(present, 10)} {
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
