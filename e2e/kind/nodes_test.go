package kind

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"
)

var nodes = []step{
	{"a pool grows from two nodes to three", grow, false},
	shrinks,
	{"a node whose container is killed is replaced", killNode, false},
	{"a killed daemon goes on where it was", killDaemon, false},
}

var shrinks = step{"a pool shrinks to one node", shrink, false}

// scale changes the number of nodes.
func (f *fixture) scale(n int) {
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", shootName, "--type=json", "-p", fmt.Sprintf(
		`[{"op":"replace","path":"/spec/provider/workers/0/minimum","value":%d},{"op":"replace","path":"/spec/provider/workers/0/maximum","value":%d}]`, n, n))
}

func grow(t *testing.T, f *fixture) {
	before := f.nodeNames("")
	f.scale(3)
	f.awaitNodes(t, 3, oldVersion)
	for _, node := range before {
		if !slices.Contains(f.nodeNames(""), node) {
			t.Errorf("node %s was replaced", node)
		}
	}
	f.noteVolumes(t)
	newest := slices.DeleteFunc(f.nodeNames(""), func(node string) bool { return slices.Contains(before, node) })
	if got := f.runPod(t, "newest", newest[0], "print", "on the newest node"); got != "on the newest node\n" {
		t.Errorf("output %q", got)
	}
}

func shrink(t *testing.T, f *fixture) {
	f.kube("delete", "deployment", "server") // it is bound to one node, which may be the one to go
	f.scale(1)
	f.awaitNodes(t, 1, oldVersion)
	f.ready()
}

func killNode(t *testing.T, f *fixture) {
	before := f.nodeNames("")
	f.noteVolumes(t)
	docker(t, "rm", "-f", "-v", f.machines(t)[0])
	f.await(12*time.Minute, "another node takes its place", func() (bool, string) {
		ready, all := f.nodeNames(oldVersion), f.nodeNames("")
		return len(ready) == 1 && len(all) == 1 && ready[0] != before[0], fmt.Sprintf("nodes %v, ready %v, containers %v", all, ready, f.machines(t))
	})
	f.ready()
	f.noteVolumes(t)
	if got := f.runPod(t, "replaced", "", "print", "on the node in its place"); got != "on the node in its place\n" {
		t.Errorf("output %q", got)
	}
}

func killDaemon(t *testing.T, f *fixture) {
	machines := f.machines(t)
	f.kube("create", "configmap", "kept")
	pid := f.Daemon()
	if pid == 0 {
		t.Fatal("no daemon")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f.Eventually(time.Minute, "the daemon is gone", func() (bool, string) { return f.Daemon() == 0, fmt.Sprint(f.Processes()) })
	f.Gardener("up")
	f.ready()
	f.kube("get", "configmap", "kept")
	if now := f.machines(t); !slices.Equal(now, machines) {
		t.Errorf("nodes %v, before %v", now, machines)
	}
	if got := f.runPod(t, "after", "", "print", "after the kill"); got != "after the kill\n" {
		t.Errorf("output %q", got)
	}
}
