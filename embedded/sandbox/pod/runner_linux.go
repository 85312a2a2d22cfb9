package pod

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// errEnded says that the process that runs the commands has ended.
var errEnded = errors.New("the sandbox has ended")

// outputDelay bounds waiting for the output of a command that has ended.
const outputDelay = time.Second

// Streams are the standard input, output and error output of a container or command. Nil means that there is none. They belong to the
// caller, who closes them.
type Streams [3]*os.File

// runner is this end of the connection to an agent or spawner.
type runner struct {
	conn  wire.Conn
	ended chan struct{} // closed when the other end is closed

	mu       sync.Mutex
	last     uint64
	commands map[uint64]*replies // nil once the other end is closed
}

// replies are about one command. Both channels are closed when it has ended, or when the other end is closed.
type replies struct {
	started chan int        // gets the process of a command with namespaces
	ended   chan wire.Reply // gets one reply, unless the other end was closed
}

func (r *replies) close() {
	close(r.started)
	close(r.ended)
}

func newRunner(conn wire.Conn) *runner {
	r := &runner{conn: conn, ended: make(chan struct{}), commands: map[uint64]*replies{}}
	go r.receive()
	return r
}

// receive hands over replies until the other end is closed.
func (r *runner) receive() {
	for {
		var reply wire.Reply
		if _, err := r.conn.Receive(&reply); err != nil {
			break
		}
		r.mu.Lock()
		replies := r.commands[reply.ID]
		if reply.Started == 0 {
			delete(r.commands, reply.ID)
		}
		r.mu.Unlock()
		switch {
		case replies == nil:
		case reply.Started != 0:
			replies.started <- reply.Started
		default:
			replies.ended <- reply
			replies.close()
		}
	}
	_ = r.conn.Close()
	r.mu.Lock()
	open := r.commands
	r.commands = nil
	r.mu.Unlock()
	for _, replies := range open {
		replies.close()
	}
	close(r.ended)
}

// command is a command that runs.
type command struct {
	runner *runner
	id     uint64
	*replies
}

// start runs a command with these streams, and other files from descriptor 3 on.
func (r *runner) start(run wire.Run, streams Streams, others ...*os.File) (*command, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	for i := range streams {
		if streams[i] == nil {
			streams[i] = null
		}
	}
	replies := &replies{started: make(chan int, 1), ended: make(chan wire.Reply, 1)}
	r.mu.Lock()
	if r.commands == nil {
		r.mu.Unlock()
		return nil, errEnded
	}
	r.last++
	id := r.last
	r.commands[id] = replies
	r.mu.Unlock()
	if err := r.conn.Send(wire.Request{ID: id, Run: &run}, append(streams[:], others...)...); err != nil {
		r.mu.Lock()
		delete(r.commands, id)
		r.mu.Unlock()
		return nil, fmt.Errorf("start a command of the sandbox: %w", err)
	}
	return &command{runner: r, id: id, replies: replies}, nil
}

// unbind ends the mounts of a container. Errors do not matter: they end with the other end.
func (r *runner) unbind(name string) { _ = r.conn.Send(wire.Request{Unbind: name}) }

// signal sends a signal to the command. Errors do not matter: when the connection is closed, the command ends.
func (c *command) signal(number syscall.Signal) {
	_ = c.runner.conn.Send(wire.Request{ID: c.id, Signal: &wire.Signal{Number: int(number)}})
}

// wait returns the exit code. When ctx ends first, it kills the command.
func (c *command) wait(ctx context.Context) (int, error) {
	select {
	case reply, ok := <-c.ended:
		if !ok {
			return 0, errEnded
		}
		if reply.Error != "" {
			return 0, errors.New(reply.Error)
		}
		return reply.Code, nil
	case <-ctx.Done():
		c.signal(syscall.SIGKILL)
		return 0, ctx.Err()
	}
}

// ask runs a command until it or ctx ends. It returns the exit code and the output, which is short.
func (r *runner) ask(ctx context.Context, args ...string) (code int, output string, err error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return 0, "", err
	}
	defer reader.Close()
	running, err := r.start(wire.Run{Args: args}, Streams{nil, writer, writer})
	_ = writer.Close()
	if err != nil {
		return 0, "", err
	}
	text, read := &tail{}, make(chan struct{})
	go func() {
		defer close(read)
		_, _ = text.ReadFrom(reader)
	}()
	code, err = running.wait(ctx)
	if err != nil {
		return 0, "", err
	}
	select {
	case <-read:
	case <-time.After(outputDelay): // a process that the command left behind holds the pipe
	}
	return code, strings.TrimSpace(text.String()), nil
}
