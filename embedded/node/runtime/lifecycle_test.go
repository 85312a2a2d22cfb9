package runtime

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestProcessEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		stop   int64 // seconds of grace; -1: it ends by itself
		code   int32
		reason string
	}{
		"a process that ends well completes":             {args: []string{"exit", "0"}, stop: -1, code: 0, reason: "Completed"},
		"a failing process keeps its exit code":          {args: []string{"exit", "3"}, stop: -1, code: 3, reason: "Error"},
		"a polite process may clean up when stopped":     {args: []string{"polite"}, stop: 10, code: 5, reason: "Error"},
		"a stubborn process is killed after its grace":   {args: []string{"stubborn"}, stop: 1, code: 137, reason: "Error"},
		"a process without grace is killed at once":      {args: []string{"polite"}, stop: 0, code: 137, reason: "Error"},
		"a process of an unknown command ends by itself": {args: []string{"nonsense"}, stop: -1, code: 0, reason: "Completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pod := &testPod{runtime: newRuntime(t, dir), dir: dir}
			pod.mustStart(t, tc.args...)
			if tc.stop >= 0 {
				pod.awaitLog(t, "up")
				if err := pod.runtime.StopContainer(context.Background(), pod.container, tc.stop); err != nil {
					t.Fatal(err)
				}
			} else {
				pod.awaitExit(t)
			}
			status := pod.status(t)
			if status.GetExitCode() != tc.code || status.GetReason() != tc.reason || status.GetFinishedAt() < status.GetStartedAt() {
				t.Errorf("got exit code %d and reason %s, want %d and %s", status.GetExitCode(), status.GetReason(), tc.code, tc.reason)
			}
		})
	}
}

func TestStoppingTakesTheWholeGroup(t *testing.T) {
	dir := t.TempDir()
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir}
	pod.mustStart(t, "polite")
	pod.awaitLog(t, "up")
	pid := pod.runtime.containers[pod.container].record.Process.PID
	fields := statFields(pid)
	if group, _ := strconv.Atoi(fields[2]); group != pid {
		t.Errorf("process %d is in group %d, want its own", pid, group)
	}
	if err := pod.runtime.StopPodSandbox(context.Background(), pod.sandbox); err != nil {
		t.Fatal(err)
	}
	if statFields(pid) != nil {
		t.Errorf("process %d still exists, at least as a zombie", pid)
	}
}

func TestChangesAreTold(t *testing.T) {
	dir := t.TempDir()
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir}
	var told atomic.Int32
	pod.runtime.OnChange(func(podUID string) {
		if podUID == "uid-main" {
			told.Add(1)
		}
	})
	pod.mustStart(t, "exit", "0")
	pod.awaitExit(t)
	eventually(t, "start and end are reported", func() bool { return told.Load() == 2 })
}

func TestSimulatedContainers(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	server := &testPod{runtime: r, dir: dir, image: "nginx"}
	server.mustStart(t, "exit", "1")
	job := &testPod{runtime: r, dir: dir, image: "busybox", name: "job"}
	job.mustStart(t)

	if state := server.status(t).GetState(); state != cri.ContainerState_CONTAINER_RUNNING {
		t.Errorf("a server is %s, want running", state)
	}
	if got, want := server.log(t), "Image nginx is simulated: nothing runs in container main.\n"; got != want {
		t.Errorf("log is %q, want %q", got, want)
	}
	if status := job.status(t); status.GetState() != cri.ContainerState_CONTAINER_EXITED || status.GetExitCode() != 0 {
		t.Errorf("a job is %s with code %d, want exited with 0", status.GetState(), status.GetExitCode())
	}
	if err := r.StopContainer(context.Background(), server.container, 1); err != nil {
		t.Fatal(err)
	}
	if state := server.status(t).GetState(); state != cri.ContainerState_CONTAINER_EXITED {
		t.Errorf("a stopped server is %s, want exited", state)
	}
}

func TestRefusalsOfSimulatedContainers(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	r := newRuntime(t, dir)
	server := &testPod{runtime: r, dir: dir, image: "nginx"}
	server.mustStart(t)
	for what, do := range map[string]func() error{
		"a probe": func() error {
			_, _, err := r.ExecSync(ctx, server.container, []string{"ls"}, time.Second)
			return err
		},
		"exec": func() error {
			_, err := r.Exec(ctx, &cri.ExecRequest{ContainerId: server.container, Cmd: []string{"ls"}, Stdout: true})
			return err
		},
		"attach": func() error {
			_, err := r.Attach(ctx, &cri.AttachRequest{ContainerId: server.container, Stdout: true})
			return err
		},
		"port-forward": func() error {
			_, err := r.PortForward(ctx, &cri.PortForwardRequest{PodSandboxId: server.sandbox, Port: []int32{80}})
			return err
		},
	} {
		t.Run(what+" is refused with the reason and what to do", func(t *testing.T) {
			err := do()
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range []string{"container main is simulated", "nothing of image nginx runs", "gardener up --provider=kind"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
	t.Run("APP-19 a pod of which nothing runs any more is not reached", func(t *testing.T) {
		job := &testPod{runtime: r, dir: dir, image: "busybox", name: "job"}
		job.mustStart(t)
		if _, err := r.PortForward(ctx, &cri.PortForwardRequest{PodSandboxId: job.sandbox, Port: []int32{80}}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("a pod with a process beside it may be reached", func(t *testing.T) {
		process := &testPod{runtime: r, dir: dir, name: "process"}
		process.mustStart(t, "polite")
		process.awaitLog(t, "up")
		if _, err := r.PortForward(ctx, &cri.PortForwardRequest{PodSandboxId: process.sandbox, Port: []int32{80}}); err != nil {
			t.Error(err)
		}
	})
}

func TestRestartOfTheNode(t *testing.T) {
	dir := t.TempDir()
	first := newRuntime(t, dir)
	process := &testPod{runtime: first, dir: dir}
	process.mustStart(t, "polite")
	process.awaitLog(t, "up")
	simulated := &testPod{runtime: first, dir: dir, image: "nginx", name: "nginx"}
	simulated.mustStart(t)
	address := first.sandboxes[process.sandbox].record.Address
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	first.Shutdown(ctx, func(string) int32 { return 0 })

	if err := (&testPod{runtime: first, dir: dir, name: "late"}).start("exit", "0"); err == nil {
		t.Error("a stopping runtime starts containers")
	}
	second := newRuntime(t, dir)
	process.runtime, simulated.runtime = second, second
	if status := process.status(t); status.GetState() != cri.ContainerState_CONTAINER_EXITED || status.GetExitCode() != exitKilled {
		t.Errorf("a process that ended with the node is %s with code %d, want exited with %d, so that it starts again", status.GetState(), status.GetExitCode(), exitKilled)
	}
	if state := simulated.status(t).GetState(); state != cri.ContainerState_CONTAINER_RUNNING {
		t.Errorf("a simulated container is %s, want still running", state)
	}
	if got := second.sandboxes[process.sandbox].record.Address; got != address {
		t.Errorf("the pod's address became %s, want %s as before", got, address)
	}
	if err := process.start("exit", "0"); err != nil {
		t.Errorf("start the container again: %v", err)
	}
}

func TestShutdownGoesByPriority(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	etcd := &testPod{runtime: r, dir: dir, name: "etcd"}
	etcd.mustStart(t, "polite")
	server := &testPod{runtime: r, dir: dir, name: "server"}
	server.mustStart(t, "polite")
	etcd.awaitLog(t, "up")
	server.awaitLog(t, "up")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r.Shutdown(ctx, func(podUID string) int32 { return map[string]int32{"uid-etcd": 500, "uid-server": 300}[podUID] })
	if etcd.status(t).GetFinishedAt() <= server.status(t).GetFinishedAt() {
		t.Error("the pod of higher priority did not end last")
	}
}

// TestKilledNode kills a process that runs a runtime: the kernel ends its containers, and what could survive is found.
func TestKilledNode(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(executable(), "node", dir)
	cmd.Env = append(os.Environ(), "RUNTIME_TEST_CHILD=true")
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("node says %q", line)
	}
	before := identify(pid)
	if before.Start == 0 {
		t.Fatalf("container process %d does not run", pid)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	eventually(t, "the container dies with its node", func() bool { return !runs(before) })

	r := newRuntime(t, dir)
	for _, c := range r.containers {
		if c.record.State != stateExited || c.record.ExitCode != exitKilled {
			t.Errorf("container is %s with code %d, want exited with %d", c.record.State, c.record.ExitCode, exitKilled)
		}
	}
	if len(r.containers) != 1 {
		t.Errorf("found %d containers, want 1", len(r.containers))
	}
}

func TestLeftovers(t *testing.T) {
	start := func(t *testing.T) identity {
		p, err := startProcess(&exec.Cmd{Path: executable(), Args: []string{"gardener", "stubborn"}, Env: []string{"RUNTIME_TEST_CHILD=true"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.killGroup(); <-p.ended })
		return p.identity
	}
	for name, tc := range map[string]struct {
		change func(*identity)
		killed bool
	}{
		"a process that an earlier run started is killed":             {func(*identity) {}, true},
		"another process that got the same ID is left alone":          {func(id *identity) { id.Start-- }, false},
		"a process from before the machine's start is not looked for": {func(id *identity) { id.Boot = "earlier" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			id := start(t)
			recorded := id
			tc.change(&recorded)
			killed, err := killLeftover(recorded)
			if err != nil {
				t.Fatal(err)
			}
			if killed != tc.killed {
				t.Errorf("killed: %t, want %t", killed, tc.killed)
			}
			if alive := runs(id); alive == tc.killed {
				t.Errorf("alive: %t", alive)
			}
		})
	}
}

func TestUnreadableRecordsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "runtime", "pods", "broken")
	if err := os.MkdirAll(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, sandboxFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	newRuntime(t, dir)
	if _, err := os.Stat(broken); !os.IsNotExist(err) {
		t.Errorf("the broken sandbox is still there: %v", err)
	}
}

func TestRemoval(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	pod := &testPod{runtime: r, dir: dir}
	pod.mustStart(t, "stubborn")
	ctx := context.Background()
	for range 2 {
		if err := r.RemovePodSandbox(ctx, pod.sandbox); err != nil {
			t.Fatal(err)
		}
	}
	containers, _ := r.ListContainers(ctx, nil)
	sandboxes, _ := r.ListPodSandbox(ctx, nil)
	files, _ := os.ReadDir(r.sandboxesDir())
	if len(containers)+len(sandboxes)+len(files) != 0 {
		t.Errorf("left are containers %v, sandboxes %v, files %v", containers, sandboxes, files)
	}
	if len(r.addresses.taken) != 2 {
		t.Errorf("%d addresses are taken, want the network's and the node's", len(r.addresses.taken))
	}
}

func TestProcessesAwaitTheirBegin(t *testing.T) {
	dir := t.TempDir()
	begin := make(chan struct{})
	config := testConfig(dir)
	config.Begin = begin
	r := runtimeOf(t, config)
	simulated := &testPod{runtime: r, dir: dir, name: "other", image: "nginx"}
	simulated.mustStart(t)
	pod := &testPod{runtime: r, dir: dir}
	ended := make(chan error, 1)
	go func() { ended <- pod.start("polite") }()
	testwait.Stays(t, 300*time.Millisecond, "APP-23 no process starts before its begin", func() error {
		if len(ended) > 0 {
			return fmt.Errorf("it has started: %v", <-ended)
		}
		return nil
	})
	close(begin)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	pod.awaitLog(t, "up")
}
