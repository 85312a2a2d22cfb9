package peer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// stopTimeout limits the orderly shutdown of a server.
const stopTimeout = 20 * time.Second

// child is a process that does not outlive this one.
type child struct {
	log     string
	process *os.Process
	done    chan struct{} // closed when it has ended
}

// startChild runs the binary in the directory of the log, to which its output is appended.
func startChild(binary string, args []string, log string) (*child, error) {
	output, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	cmd := exec.Command(binary, args...)
	cmd.Dir = filepath.Dir(log)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = ownGroup()
	c := &child{log: log, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel kills the child with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(c.done)
		}
	}()
	return c, <-started
}

// await waits until check succeeds.
func (c *child) await(ctx context.Context, name string, check func(context.Context) error) error {
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.done:
			return fmt.Errorf("%s has ended:\n%s", name, tail(c.log))
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w; last: %w", name, ctx.Err(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// stop ends the process and waits for it. It returns an error if it must kill the process.
func (c *child) stop() error {
	_ = c.process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
		return nil
	case <-time.After(stopTimeout):
	}
	_ = c.process.Kill()
	<-c.done
	return fmt.Errorf("process %d had to be killed %s after SIGTERM; its log is %s", c.process.Pid, stopTimeout, c.log)
}
