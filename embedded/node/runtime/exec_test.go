package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	criclient "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"
)

func runningPod(t *testing.T) *testPod {
	t.Helper()
	dir := t.TempDir()
	pod := &testPod{runtime: newRuntime(t, dir), dir: dir}
	pod.mustStart(t, "polite")
	pod.awaitLog(t, "up")
	return pod
}

func TestExecSync(t *testing.T) {
	pod := runningPod(t)
	ctx := context.Background()
	stdout, stderr, err := pod.runtime.ExecSync(ctx, pod.container, []string{"/gardener", "print", "out", "err"}, 10*time.Second)
	if string(stdout) != "out\n" || string(stderr) != "err" || err != nil {
		t.Errorf("got %q, %q, %v", stdout, stderr, err)
	}
	var failed utilexec.CodeExitError
	if _, _, err = pod.runtime.ExecSync(ctx, pod.container, []string{"gardener", "exit", "4"}, 0); !errors.As(err, &failed) || failed.Code != 4 {
		t.Errorf("a failing command gives %v, want exit code 4", err)
	}
	start := time.Now()
	if _, _, err = pod.runtime.ExecSync(ctx, pod.container, []string{"gardener", "stubborn"}, 100*time.Millisecond); !errors.Is(err, criclient.ErrCommandTimedOut) {
		t.Errorf("a slow command gives %v, want %v", err, criclient.ErrCommandTimedOut)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the time-out came after %s", took)
	}
	if _, _, err = pod.runtime.ExecSync(ctx, pod.container, []string{"/no/such/command"}, 0); err == nil {
		t.Error("a missing command gives no error")
	}
}

func TestStreamingExec(t *testing.T) {
	pod := runningPod(t)
	var out bytes.Buffer
	err := streamer{pod.runtime}.Exec(context.Background(), pod.container, []string{"gardener", "copy"}, strings.NewReader("input"), closer{&out}, nil, false, nil)
	if err != nil || out.String() != "input" {
		t.Errorf("got %q and %v", out.String(), err)
	}

	silent, client := io.Pipe() // a client that never sends must not delay the end
	defer func() { _ = client.Close() }()
	if err := (streamer{pod.runtime}).Exec(context.Background(), pod.container, []string{"gardener", "exit", "0"}, silent, closer{&out}, nil, false, nil); err != nil {
		t.Error(err)
	}
}

func TestExecInTerminal(t *testing.T) {
	pod := runningPod(t)
	var out bytes.Buffer
	err := streamer{pod.runtime}.Exec(context.Background(), pod.container, []string{"gardener", "print", "hello", ""}, nil, closer{&out}, nil, true, nil)
	if err != nil || out.String() != "hello\r\n" { // a terminal returns the carriage
		t.Errorf("got %q and %v", out.String(), err)
	}
}

func TestAttach(t *testing.T) {
	pod := runningPod(t)
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		ended <- streamer{pod.runtime}.Attach(context.Background(), pod.container, nil, closer{&out}, nil, false, nil)
	}()
	log := pod.runtime.containers[pod.container].log
	eventually(t, "the client is attached", func() bool {
		log.mu.Lock()
		defer log.mu.Unlock()
		return len(log.listeners) == 1
	})
	if err := pod.runtime.StopContainer(context.Background(), pod.container, 10); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || out.String() != "bye\n" {
		t.Errorf("got %q and %v", out.String(), err)
	}
}

func TestPortForward(t *testing.T) {
	dir := t.TempDir()
	r := newRuntime(t, dir)
	pod := &testPod{runtime: r, dir: dir}
	pod.mustStart(t, "serve", "127.77.0.2:18471") // the first pod's address
	pod.awaitLog(t, "up")
	client, server := net.Pipe()
	go func() { _ = streamer{r}.PortForward(context.Background(), pod.sandbox, 18471, server) }()
	if _, err := client.Write([]byte("ping")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 4)
	if _, err := io.ReadFull(client, answer); err != nil || string(answer) != "ping" {
		t.Errorf("got %q and %v", answer, err)
	}
	_ = client.Close()
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }
