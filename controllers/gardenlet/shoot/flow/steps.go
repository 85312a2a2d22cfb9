package flow

import (
	"context"
	"time"

	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
)

// Limits of steps. A deployment is tried again for a while, since webhooks of extensions may be starting; a wait is one
// attempt, since it looks again by itself.
const (
	deployTimeout = time.Minute
	deployRetry   = 2 * time.Second
	shortWait     = 3 * time.Minute
	longWait      = 10 * time.Minute
)

// after lists predecessors.
func after(names ...string) []string { return names }

func deploy(name string, do func(context.Context) error, predecessors []string) graph.Step {
	return graph.Step{Name: name, Do: do, After: predecessors, Timeout: deployTimeout, Retry: deployRetry}
}

func wait(name string, timeout time.Duration, do func(context.Context) error, predecessors []string) graph.Step {
	return graph.Step{Name: name, Do: do, After: predecessors, Timeout: timeout}
}

// unless leaves the step out if any of the conditions holds.
func unless(step graph.Step, conditions ...bool) graph.Step {
	for _, condition := range conditions {
		step.Skip = step.Skip || condition
	}
	return step
}
