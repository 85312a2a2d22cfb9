package flow

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-logr/logr"
)

// Options of one run.
type Options struct {
	Log logr.Logger
	// Progress is called with the progress, never from two goroutines at a time. Intermediate states are left out while
	// a call runs. The last call is made before Run returns. Nil is allowed.
	Progress func(context.Context, Progress)
	// ProgressPeriod is the least time between two reports. Zero reports at once.
	ProgressPeriod time.Duration
}

// Progress is the state of a running flow.
type Progress struct {
	// Percent of the steps that are finished, 0 to 100.
	Percent int32
	// Description is shown to users: the running steps, or that the flow starts or is finished.
	Description string
}

type result struct {
	index int
	err   error
	took  time.Duration
}

// Run runs the steps and returns when no step runs any more. Its error is *Errors if steps have failed, or the error of
// the context if it ended before all steps could start.
func (g *Graph) Run(ctx context.Context, opts Options) error {
	state := &run{graph: g, log: opts.Log, missing: make([]int, len(g.steps)), failed: make([]error, len(g.steps)), running: map[int]bool{}, results: make(chan result)}
	reports := startReporter(ctx, opts)
	defer reports.stop()
	reports.send(Progress{Description: "Starting " + g.name})

	var ready []int
	for i, step := range g.steps {
		if state.missing[i] = len(step.After); state.missing[i] == 0 {
			ready = append(ready, i)
		}
	}
	state.start(ctx, ready)
	for len(state.running) > 0 {
		reports.send(state.progress())
		finished := <-state.results
		delete(state.running, finished.index)
		if finished.err != nil {
			state.failed[finished.index] = finished.err
			continue
		}
		state.log.V(1).Info("Finished step", "step", g.steps[finished.index].Name, "duration", finished.took.Round(time.Millisecond))
		state.start(ctx, state.finish(finished.index))
	}

	if errs := state.errors(); errs != nil {
		return errs
	}
	if state.done < len(g.steps) {
		return fmt.Errorf("flow %q was stopped: %w", g.name, context.Cause(ctx))
	}
	reports.send(Progress{Percent: 100, Description: g.name + " finished"})
	return nil
}

// run is used only by the goroutine of Run; only results is shared with the steps.
type run struct {
	graph   *Graph
	log     logr.Logger
	missing []int // predecessors that are not finished, by step
	failed  []error
	running map[int]bool
	done    int
	results chan result
}

// start starts the given steps. If a step is skipped, it starts the steps that follow.
func (r *run) start(ctx context.Context, ready []int) {
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		if r.graph.steps[i].Skip {
			ready = append(ready, r.finish(i)...)
			continue
		}
		if ctx.Err() != nil {
			continue
		}
		r.running[i] = true
		go func() {
			began := time.Now()
			err := guarded(ctx, r.graph.steps[i])
			r.results <- result{index: i, err: err, took: time.Since(began)}
		}()
	}
}

// finish records a finished step and returns the steps that may start now.
func (r *run) finish(i int) (ready []int) {
	r.done++
	for _, j := range r.graph.next[r.graph.steps[i].Name] {
		if r.missing[j]--; r.missing[j] == 0 {
			ready = append(ready, j)
		}
	}
	return ready
}

func (r *run) progress() Progress {
	var names []string
	for i, step := range r.graph.steps {
		if r.running[i] {
			names = append(names, step.Name)
		}
	}
	return Progress{Percent: int32(r.done * 100 / len(r.graph.steps)), Description: strings.Join(names, ", ")}
}

func (r *run) errors() error {
	errs := &Errors{Flow: r.graph.name}
	for i, err := range r.failed {
		if err != nil {
			errs.Tasks = append(errs.Tasks, &TaskError{Task: r.graph.steps[i].Name, Err: err})
		}
	}
	if len(errs.Tasks) == 0 {
		return nil
	}
	return errs
}

// guarded turns a panic of a step into its error: a mistake in one shoot must not end the process of all others.
func guarded(ctx context.Context, step Step) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Permanent(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	return step.attempt(ctx)
}
