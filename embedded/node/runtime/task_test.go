package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// taskPod is a pod whose containers are what do does, if they run the component "known".
func taskPod(t *testing.T, do Task) *testPod {
	t.Helper()
	dir := t.TempDir()
	config := testConfig(dir)
	config.Tasks = map[string]Task{"known": do}
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r.Shutdown(ctx, func(string) int32 { return 0 })
		_ = r.Close(ctx)
	})
	return &testPod{runtime: r, dir: dir}
}

// untilStopped is a well-behaved task.
func untilStopped(ctx context.Context, run TaskRun) error {
	fmt.Fprintln(run.Log, "up")
	<-ctx.Done()
	fmt.Fprintln(run.Log, "bye")
	return ctx.Err()
}

func TestTaskEnds(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	for name, tc := range map[string]struct {
		do      Task
		stop    int64 // seconds of grace; -1: it ends by itself
		code    int32
		reason  string
		message string // in the status and in the log
	}{
		"a task that returns completes": {
			do: func(context.Context, TaskRun) error { return nil }, stop: -1, code: 0, reason: "Completed"},
		"a task that fails exits with 1 and its error": {
			do: func(context.Context, TaskRun) error { return errors.New("no luck") }, stop: -1, code: 1, reason: "Error", message: "no luck"},
		"a task that panics exits with 2 and affects nothing else": {
			do: func(context.Context, TaskRun) error { panic("oh no") }, stop: -1, code: 2, reason: "Error", message: "panic: oh no"},
		"a task that fails with its context by itself has failed": {
			do: func(context.Context, TaskRun) error { return context.Canceled }, stop: -1, code: 1, reason: "Error", message: "context canceled"},
		"a task that is stopped completes":                    {do: untilStopped, stop: 10, code: 0, reason: "Completed"},
		"a task that is stopped at once gets a moment to end": {do: untilStopped, stop: 0, code: 0, reason: "Completed"},
		"a task that fails to stop in an orderly way says so": {
			do:   func(ctx context.Context, _ TaskRun) error { <-ctx.Done(); return errors.New("left a mess") },
			stop: 10, code: 1, reason: "Error", message: "left a mess"},
		"a task that hangs is given up after its grace": {
			do: func(context.Context, TaskRun) error { <-never; return nil }, stop: 1, code: 137, reason: "Error", message: "the task did not end within 1s and was given up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := taskPod(t, tc.do)
			pod.mustStart(t, "component", "known")
			if tc.stop >= 0 {
				if err := pod.runtime.StopContainer(context.Background(), pod.container, tc.stop); err != nil {
					t.Fatal(err)
				}
			}
			status := pod.awaitExit(t)
			if status.GetExitCode() != tc.code || status.GetReason() != tc.reason {
				t.Errorf("got exit code %d and reason %s, want %d and %s", status.GetExitCode(), status.GetReason(), tc.code, tc.reason)
			}
			if !strings.Contains(status.GetMessage(), tc.message) || tc.message == "" && status.GetMessage() != "" {
				t.Errorf("message %q, want %q", status.GetMessage(), tc.message)
			}
			if log := pod.log(t); !strings.Contains(log, tc.message) {
				t.Errorf("the log does not say %q:\n%s", tc.message, log)
			}
		})
	}
}

func TestTaskSurroundings(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.MkdirAll(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(secret, "token"), []byte("t0ken"), 0o600); err != nil {
		t.Fatal(err)
	}
	pod := taskPod(t, func(_ context.Context, run TaskRun) error {
		token, err := os.ReadFile(filepath.Join(run.Dir, "var/run/token"))
		fmt.Fprintf(run.Log, "args %q\ntoken %s %v\nown %s, node %s, missing %q\n", run.Args, token, err, run.Getenv("OWN"), run.Getenv("FROM_NODE"), run.Getenv("MISSING"))
		return nil
	})
	pod.env = []*cri.KeyValue{{Key: "OWN", Value: []byte("a=b")}, {Key: "FROM_NODE", Value: []byte("pod")}}
	pod.mounts = []*cri.Mount{{ContainerPath: "/var/run", HostPath: secret}}
	pod.mustStart(t, "component", "known", "--a", "b")
	pod.awaitExit(t)
	const want = "args [\"--a\" \"b\"]\ntoken t0ken <nil>\nown a=b, node node, missing \"\"\n"
	if got := pod.log(t); got != want {
		t.Errorf("a task finds\n%swant\n%s", got, want)
	}
	t.Run("a variable of the container is not one of the node's process", func(t *testing.T) {
		if got := os.Getenv("OWN"); got != "" {
			t.Errorf("got %q", got)
		}
	})
}

func TestOtherComponentsAreProcesses(t *testing.T) {
	pod := taskPod(t, func(context.Context, TaskRun) error { return errors.New("called") })
	for name, args := range map[string][]string{
		"a component without a task": {"component", "unknown"}, "a verb of the same name": {"known"}, "component without a name": {"component"},
	} {
		t.Run(name+" is a process", func(t *testing.T) {
			pod.mustStart(t, args...)
			if status := pod.awaitExit(t); status.GetExitCode() != 0 {
				t.Errorf("exit code %d, %s", status.GetExitCode(), status.GetMessage())
			}
		})
	}
}

func TestRunningTask(t *testing.T) {
	pod := taskPod(t, func(ctx context.Context, run TaskRun) error {
		listener, err := net.Listen("tcp", run.Args[0])
		if err != nil {
			return err
		}
		defer listener.Close()
		return untilStopped(ctx, run)
	})
	pod.mustStart(t, "component", "known", "127.77.0.2:18472")
	pod.awaitLog(t, "up")
	r, ctx := pod.runtime, context.Background()

	t.Run("it listens at the address of its pod", func(t *testing.T) {
		conn, err := net.Dial("tcp", "127.77.0.2:18472")
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		if _, err := r.PortForward(ctx, &cri.PortForwardRequest{PodSandboxId: pod.sandbox, Port: []int32{18472}}); err != nil {
			t.Errorf("forward a port: %v", err)
		}
	})
	t.Run("it has no use of its own to measure", func(t *testing.T) {
		stats, err := r.ContainerStats(ctx, pod.container)
		if err != nil || stats.GetMemory().GetWorkingSetBytes().GetValue() != 0 {
			t.Errorf("container: %v, %v", stats, err)
		}
		sum, err := r.PodSandboxStats(ctx, pod.sandbox)
		if err != nil || sum.GetLinux().GetProcess().GetProcessCount().GetValue() != 0 || len(sum.GetLinux().GetContainers()) != 1 {
			t.Errorf("pod: %v, %v", sum, err)
		}
	})
	for what, do := range map[string]func() error{
		"a probe": func() error {
			_, _, err := r.ExecSync(ctx, pod.container, []string{"ls"}, time.Second)
			return err
		},
		"exec": func() error {
			_, err := r.Exec(ctx, &cri.ExecRequest{ContainerId: pod.container, Cmd: []string{"ls"}, Stdout: true})
			return err
		},
	} {
		t.Run(what+" is refused with the reason", func(t *testing.T) {
			if err := do(); err == nil || !strings.Contains(err.Error(), "container main is a task in the process of its node") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("its output can be followed until it is stopped", func(t *testing.T) {
		var out bytes.Buffer
		ended := make(chan error, 1)
		go func() { ended <- streamer{r}.Attach(ctx, pod.container, nil, nil, closer{&out}, false, nil) }()
		log := r.containers[pod.container].log
		eventually(t, "the client is attached", func() bool {
			log.mu.Lock()
			defer log.mu.Unlock()
			return len(log.listeners) == 1
		})
		if err := r.StopContainer(ctx, pod.container, 10); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil || out.String() != "bye\n" {
			t.Errorf("got %q and %v", out.String(), err)
		}
	})
	t.Run("it can be started again, as the kubelet does after a failure", func(t *testing.T) {
		pod.mustStart(t, "component", "known", "127.77.0.2:18472")
		if state := pod.status(t).GetState(); state != cri.ContainerState_CONTAINER_RUNNING {
			t.Errorf("state %s", state)
		}
	})
	t.Run("it goes with its pod", func(t *testing.T) {
		if err := r.RemovePodSandbox(ctx, pod.sandbox); err != nil {
			t.Fatal(err)
		}
		if conn, err := net.Dial("tcp", "127.77.0.2:18472"); err == nil {
			_ = conn.Close()
			t.Error("it still listens")
		}
	})
}

func TestTaskAfterRestartOfTheNode(t *testing.T) {
	for name, end := range map[string]func(*Runtime){
		"a task ends with its node in an orderly way": func(r *Runtime) {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			r.Shutdown(ctx, func(string) int32 { return 0 })
		},
		"a task whose node was killed is known to be gone": func(*Runtime) {},
	} {
		t.Run(name+", so that the kubelet starts it again", func(t *testing.T) {
			pod := taskPod(t, untilStopped)
			pod.mustStart(t, "component", "known")
			pod.awaitLog(t, "up")
			end(pod.runtime)
			pod.runtime = newRuntime(t, pod.dir)
			if status := pod.status(t); status.GetState() != cri.ContainerState_CONTAINER_EXITED || status.GetExitCode() != exitKilled {
				t.Errorf("it is %s with code %d, want exited with %d", status.GetState(), status.GetExitCode(), exitKilled)
			}
		})
	}
}

func TestShutdownGivesUpTasks(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	pod := taskPod(t, func(context.Context, TaskRun) error { <-never; return nil })
	pod.mustStart(t, "component", "known")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	pod.runtime.Shutdown(ctx, func(string) int32 { return 0 }) // a hang would end the test
	if status := pod.status(t); status.GetExitCode() != exitKilled || status.GetReason() != "NodeShutdown" {
		t.Errorf("it is %s with code %d", status.GetReason(), status.GetExitCode())
	}
}
