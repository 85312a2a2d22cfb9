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

// Task is a component of the binary that can run in this process instead of its own. It must return soon after ctx has
// ended and leave nothing running. A panic in its own goroutine ends only the task. The task itself must handle panics
// in goroutines that it starts.
type Task func(ctx context.Context, run TaskRun) error

// TaskRun replaces the environment of a process.
type TaskRun struct {
	// Args follow the name of the component.
	Args []string
	// Dir is the working directory of the container; relative paths of files are below it. Absolute.
	Dir string
	// Env contains variables as name=value. The variables of this process are not visible to the task.
	Env []string
	// Log is the log of the container; each Write must contain whole lines.
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
	// exitFailed is the exit code of a task that returned an error, exitPanic that of one that panicked.
	exitFailed, exitPanic = 1, 2
	// leastGrace is the minimum time for a task to end, since a goroutine can only end itself.
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

// taskFor returns the task in a command line and its arguments; nil if the command line needs a process.
func (c *Config) taskFor(argv []string) (Task, []string) {
	if len(argv) < 3 || argv[1] != componentVerb {
		return nil, nil
	}
	return c.Tasks[argv[2]], argv[3:]
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

// perform runs the task. It returns the exit code and, unless that is 0, the reason.
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

// end takes effect only once: a task that was given up may return later.
func (t *task) end(code int, message string) {
	t.once.Do(func() {
		if message != "" {
			fmt.Fprintln(t.log, message)
		}
		t.code, t.message = code, message
		close(t.ended)
	})
}

func (t *task) identify() identity    { return identity{} }
func (t *task) done() <-chan struct{} { return t.ended }
func (t *task) outcome() outcome      { return outcome{code: t.code, message: t.message} }
func (t *task) kill()                 { t.cancel() }

// stop gives up a task that does not return in time. Its container has then ended, although its goroutine has not.
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

// taskError refuses operations that need a process of the container. Users of kubectl see its text unchanged.
func taskError(c *container) error {
	return fmt.Errorf("container %s is a task in the process of its node: nothing can be executed in it (its log and its ports can be reached)", c.record.Name)
}
