package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// Task is a component of the binary that can run in this process instead of one of its own. It returns soon after ctx has
// ended and leaves nothing running. A panic of its own goroutine ends only the task; in goroutines that it starts, it has
// to see to that itself.
type Task func(ctx context.Context, run TaskRun) error

// TaskRun is what a process would find around it.
type TaskRun struct {
	// Args follow the name of the component.
	Args []string
	// Dir is the working directory of the container; relative paths of files are below it. Absolute.
	Dir string
	// Env are variables as name=value; those of this process are not the task's.
	Env []string
	// Log is the container's log; each Write takes whole lines.
	Log io.Writer
}

// Getenv returns a variable, empty if it is not set.
func (t TaskRun) Getenv(name string) string {
	for _, variable := range t.Env {
		if key, value, _ := strings.Cut(variable, "="); key == name {
			return value
		}
	}
	return ""
}

const (
	// exitFailed is the exit code of a task that returned an error, exitPanic of one that panicked.
	exitFailed, exitPanic = 1, 2
	// leastGrace is what even a task gets that is to end at once: nothing can end a goroutine but itself.
	leastGrace = time.Second
)

// task is a Task that runs for a container.
type task struct {
	cancel context.CancelFunc
	log    io.Writer

	once    sync.Once
	ended   chan struct{} // closed when it has ended or was given up
	code    int           // valid after ended, as is message
	message string
}

var _ execution = (*task)(nil)

// componentVerb precedes the name of a component on a command line.
const componentVerb = "component"

// taskFor returns the task that a command line names and its arguments; nil if it needs a process.
func (r *Runtime) taskFor(argv []string) (Task, []string) {
	if len(argv) < 3 || argv[1] != componentVerb {
		return nil, nil
	}
	return r.config.Tasks[argv[2]], argv[3:]
}

func startTask(do Task, run TaskRun) *task {
	ctx, cancel := context.WithCancel(context.Background())
	t := &task{cancel: cancel, log: run.Log, ended: make(chan struct{})}
	go func() {
		defer cancel()
		t.end(perform(ctx, do, run))
	}()
	return t
}

// perform returns the exit code and, unless that is 0, why.
func perform(ctx context.Context, do Task, run TaskRun) (code int, message string) {
	defer func() {
		if cause := recover(); cause != nil {
			code, message = exitPanic, fmt.Sprintf("panic: %v", cause)
			fmt.Fprintf(run.Log, "%s", debug.Stack())
		}
	}()
	err := do(ctx, run)
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return 0, ""
	}
	return exitFailed, err.Error()
}

// end is heard once: a task that was given up may return later.
func (t *task) end(code int, message string) {
	t.once.Do(func() {
		if message != "" {
			fmt.Fprintln(t.log, message)
		}
		t.code, t.message = code, message
		close(t.ended)
	})
}

func (t *task) identify() identity     { return identity{} }
func (t *task) done() <-chan struct{}  { return t.ended }
func (t *task) outcome() (int, string) { return t.code, t.message }
func (t *task) kill()                  { t.cancel() }

// stop gives up what does not return in time: its container has ended then, though its goroutine has not.
func (t *task) stop(ctx context.Context, grace time.Duration) error {
	t.cancel()
	grace = max(grace, leastGrace)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-t.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		t.end(exitKilled, fmt.Sprintf("the task did not end within %s and was given up: it may go on until the node's process ends", grace))
		return nil
	}
}

// taskError refuses what needs a process of the container's own. Users of kubectl see its text as it is.
func taskError(c *container) error {
	return fmt.Errorf("container %s is a task in the process of its node: nothing can be executed in it (its log and its ports can be reached)", c.record.Name)
}
