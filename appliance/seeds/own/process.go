package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

// killAfter is the time before the deadline of Stop at which a process that does not end is killed.
const killAfter = 3 * time.Second

// process is a component that runs this binary as a child process. It may be started again after its end.
type process struct {
	name  string
	child func() (daemon.Child, error)
	ready func(ctx context.Context) (attention string, _ error)
	why   func() error // why the process ended, if it has noted a reason

	mu        sync.Mutex
	attention string // what the process warns of
	command   *exec.Cmd
	done      chan struct{}
	stopped   bool
	err       error
}

// Name implements component.Component.
func (p *process) Name() string { return p.name }

// Start implements component.Component.
func (p *process) Start(context.Context) error {
	child, err := p.child()
	if err != nil {
		return err
	}
	started, done := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the process dies with the thread that started it, so the thread waits for the process
		command, err := daemon.Spawn(child)
		if err == nil {
			p.mu.Lock()
			p.command, p.done, p.stopped, p.err = command, done, false, nil
			p.mu.Unlock()
		}
		started <- err
		if err == nil {
			p.wait(command, done)
		}
	}()
	return <-started
}

func (p *process) wait(command *exec.Cmd, done chan struct{}) {
	err := command.Wait()
	if left := p.why(); left != nil {
		err = left
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped && err != nil {
		p.err = fmt.Errorf("the process ended: %w", err)
	}
	close(done)
}

// Ready implements component.Component.
func (p *process) Ready(ctx context.Context) error {
	attention, err := p.ready(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attention = attention
	return err
}

// Warning implements component.Warner.
func (p *process) Warning() (text string, refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attention, false
}

// Done implements component.Component.
func (p *process) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Stop implements component.Component: it asks the process to end and, shortly before ctx ends, kills it.
func (p *process) Stop(ctx context.Context) error {
	p.mu.Lock()
	command, done := p.command, p.done
	if done != nil {
		select {
		case <-done:
			err := p.err
			p.mu.Unlock()
			return err
		default:
		}
	}
	p.stopped = true
	p.mu.Unlock()
	if command == nil {
		return nil
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end process %d: %w", command.Process.Pid, err)
	}
	beforeKill := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		beforeKill, cancel = context.WithDeadline(ctx, deadline.Add(-killAfter))
		defer cancel()
	}
	select {
	case <-done:
		return nil
	case <-beforeKill.Done():
	}
	_ = command.Process.Kill()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("process %d does not end: %w", command.Process.Pid, ctx.Err())
	}
}
