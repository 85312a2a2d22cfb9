package framework

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Background is a command that runs in the background during the test. It is interrupted when the test ends.
type Background struct {
	l      *Landscape
	what   string
	cmd    *exec.Cmd
	output lockedBuffer
	ended  chan error
}

// StartKubectl starts kubectl with a kubeconfig and, if not empty, a text for its standard input.
func (l *Landscape) StartKubectl(kubeconfig, stdin string, args ...string) *Background {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := l.Landscape.Kubectl(ctx, kubeconfig, args...)
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	return l.start("kubectl "+strings.Join(args, " "), cmd, cancel)
}

// Start starts a verb of gardener.
func (l *Landscape) Start(args ...string) *Background {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	return l.start("gardener "+strings.Join(args, " "), l.Landscape.Command(ctx, args...), cancel)
}

func (l *Landscape) start(what string, cmd *exec.Cmd, cancel context.CancelFunc) *Background {
	l.t.Helper()
	b := &Background{l: l, what: what, cmd: cmd, ended: make(chan error, 1)}
	b.cmd.Stdout, b.cmd.Stderr = &b.output, &b.output
	if err := b.cmd.Start(); err != nil {
		cancel()
		l.t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		b.ended <- b.cmd.Wait()
	}()
	l.t.Cleanup(func() {
		cancel()
		<-gone
	})
	return b
}

// Output is what the command has printed so far, on both outputs.
func (b *Background) Output() string { return b.output.String() }

// Says waits until the command has printed the text.
func (b *Background) Says(timeout time.Duration, text string) {
	b.l.t.Helper()
	b.l.Eventually(timeout, b.what+" prints "+text, func() (bool, string) {
		output := b.Output()
		return strings.Contains(output, text), output
	})
}

// Ends waits until the command has ended and returns its exit code. It is as patient as Eventually.
func (b *Background) Ends(timeout time.Duration) int {
	b.l.t.Helper()
	select {
	case <-b.ended:
		return b.cmd.ProcessState.ExitCode()
	case <-time.After(max(timeout, leastPatience)):
		b.l.t.Fatalf("%s has not ended after %s:\n%s", b.what, max(timeout, leastPatience), b.Output())
		return 0
	}
}

// lockedBuffer is a buffer that can be read while it is written.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
