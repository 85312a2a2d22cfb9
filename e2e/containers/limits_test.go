package containers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// hungry is a pod with two containers, of which one takes more memory than both may have.
const hungry = `apiVersion: v1
kind: Pod
metadata: {name: hungry}
spec:
  restartPolicy: Never
  containers:
  - {name: eater, image: %[1]s, args: [eat, "1000"], resources: {limits: {memory: 64Mi, cpu: 500m}}}
  - {name: other, image: %[1]s, args: [name, "8080"], resources: {limits: {memory: 32Mi, cpu: 100m}}}
`

// eatTooMuch runs the pod and waits for its end.
func eatTooMuch(l *framework.Landscape, shoot string) {
	l.Kubectl(shoot, "apply", "-f", l.File("hungry.yaml", fmt.Sprintf(hungry, reference)))
	l.Eventually(2*time.Minute, "all containers of the pod are OOMKilled", func() (bool, string) {
		said := l.Kubectl(shoot, "get", "pod", "hungry", "-o", "jsonpath={range .status.containerStatuses[*]}{.state.terminated.reason} {.state.terminated.exitCode} {end}")
		return said == "OOMKilled 137 OOMKilled 137 ", said
	})
	l.Kubectl(shoot, "delete", "pod", "hungry")
}

func outOfMemory(t *testing.T, f *fixture) {
	eatTooMuch(f.Landscape, f.shoot)
	if said := f.Kubectl(f.shoot, "get", "pods", "web", "host", "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}"); said != "0 0" {
		t.Errorf("restarts of other pods: %s", said)
	}
	groupsEndWithPods(f)
}

// groupsEndWithPods waits until every control group of a pod is that of a sandbox that runs, and there are some if the machine lets the landscape make any.
func groupsEndWithPods(f *fixture) {
	f.Eventually(time.Minute, "control groups end with their pods", func() (bool, string) {
		root, err := groups.Read(layout.Dir(filepath.Join(f.StateDir, "sandboxes")).Group())
		if err != nil {
			return false, err.Error()
		}
		if !root.Exists() {
			return root.Reason != "", "there is neither a control group nor a reason"
		}
		found, _ := filepath.Glob(filepath.Join(root.Memory, "*", "*", "*", "cgroup.procs")) // of cluster, node and pod
		for _, file := range found {
			if processes, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(processes)) == "" {
				return false, file + " has no process"
			}
		}
		return len(found) > 0, "no pod has a control group"
	})
}
