package app

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// ends notes why this process ends, for the command that started it. Only the first reason counts: the others are consequences.
type ends struct {
	paths paths.Paths
	once  sync.Once
	said  atomic.Pointer[string] // the last line that klog wrote by its global functions
	crash *os.File
	// ending is set once the process ends for another reason, or because it was asked to.
	ending atomic.Bool
}

// watchEnds notes what panics and what libraries end the process for, in addition to what is passed to note.
func watchEnds(p paths.Paths) (*ends, error) {
	crash, err := state.OpenCrash(p)
	if err != nil {
		return nil, err
	}
	e := &ends{paths: p, crash: crash}
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return nil, fmt.Errorf("write crashes to a file: %w", err)
	}
	klog.OsExit = func(code int) {
		if e.ending.Load() { // API servers that are stopped while they start call it; what still has to stop needs the process
			runtime.Goexit()
		}
		said := "without a word"
		if last := e.said.Load(); last != nil {
			said = *last
		}
		e.fatal("Kubernetes: " + said)
		os.Exit(code)
	}
	return e, nil
}

// asked says that the end of the process was asked for.
func (e *ends) asked() { e.ending.Store(true) }

// note writes the reason to the file that state.LastFailure reads.
func (e *ends) note(err error) {
	e.ending.Store(true)
	e.once.Do(func() {
		if failure := state.NoteFailure(e.paths, err); failure != nil {
			fmt.Fprintf(os.Stderr, "the reason cannot be noted: %v\n", failure)
			_ = state.NoteCrash(e.crash, err) // which has room on a full disk
		}
	})
}

// fatal is for a library that ends the process itself after this.
func (e *ends) fatal(message string) {
	fmt.Fprintf(os.Stderr, "fatal: %s\n", message)
	e.note(errors.New(message))
}

// overheard is a logger for klog. It remembers what klog's global functions log: klog.Fatal logs its message like any other.
func (e *ends) overheard(log logr.Logger) logr.Logger {
	return log.WithSink(&overheard{LogSink: log.GetSink(), said: &e.said})
}

// overheard must be the sink of klog itself. Loggers that klog hands out are not remembered.
type overheard struct {
	logr.LogSink
	said *atomic.Pointer[string]
	from bool // a global function of klog
}

var _ logr.CallDepthLogSink = &overheard{}

// globalDepth is how deep the global functions of klog are below their callers.
const globalDepth = 3

// Enabled implements logr.LogSink. klog itself decides which lines of its global functions are logged.
func (o *overheard) Enabled(level int) bool { return o.from || o.LogSink.Enabled(level) }

// WithCallDepth implements logr.CallDepthLogSink.
func (o *overheard) WithCallDepth(depth int) logr.LogSink {
	sink := o.LogSink
	if deeper, ok := sink.(logr.CallDepthLogSink); ok {
		sink = deeper.WithCallDepth(depth)
	}
	return &overheard{LogSink: sink, said: o.said, from: o.from || depth >= globalDepth}
}

// WithName implements logr.LogSink.
func (o *overheard) WithName(name string) logr.LogSink {
	return &overheard{LogSink: o.LogSink.WithName(name), said: o.said, from: o.from}
}

// WithValues implements logr.LogSink.
func (o *overheard) WithValues(pairs ...any) logr.LogSink {
	return &overheard{LogSink: o.LogSink.WithValues(pairs...), said: o.said, from: o.from}
}

// Info implements logr.LogSink.
func (o *overheard) Info(level int, message string, pairs ...any) {
	o.remember(message)
	o.LogSink.Info(level, message, pairs...)
}

// Error implements logr.LogSink.
func (o *overheard) Error(err error, message string, pairs ...any) {
	o.remember(message)
	o.LogSink.Error(err, message, pairs...)
}

func (o *overheard) remember(message string) {
	if o.from {
		o.said.Store(&message)
	}
}
