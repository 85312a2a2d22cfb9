package flow

import (
	"context"
	"fmt"
	"time"

	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
)

// Time limits of steps. A deployment is retried for a while, since webhooks of extensions may be starting. A wait is a
// single attempt, since it polls or watches itself.
const (
	deployTimeout = time.Minute
	deployRetry   = 2 * time.Second
	short         = 3 * time.Minute
	long          = 10 * time.Minute
)

// row is a line of an order page.
type row struct {
	step   graph.Step
	reads  []reading
	leaves any
}

// step makes a row for work that is done at once. It is retried for a while.
func step[W func(context.Context) error | action](name string, does W) row {
	r := wait(name, deployTimeout, does)
	r.step.Retry = deployRetry
	return r
}

// wait makes a row for work that takes time.
func wait[W func(context.Context) error | action](name string, limit time.Duration, does W) row {
	var act action
	switch does := any(does).(type) {
	case action:
		act = does
	case func(context.Context) error:
		act.do = does
	}
	return row{step: graph.Step{Name: name, Do: act.do, Timeout: limit}, reads: act.reads, leaves: act.leaves}
}

// retried makes a wait go on after errors.
func (r row) retried() row {
	r.step.Retry = deployRetry
	return r
}

// after adds predecessors.
func (r row) after(names ...string) row {
	r.step.After = append(r.step.After[:len(r.step.After):len(r.step.After)], names...)
	return r
}

// names lists steps that several rows come after.
func names(all ...string) []string { return all }

// unless leaves the step out if any of the conditions holds.
func (r row) unless(conditions ...bool) row {
	for _, condition := range conditions {
		r.step.Skip = r.step.Skip || condition
	}
	return r
}

// build checks the rows. Mistakes in them are programming errors, but are returned as errors all the same.
func build(name string, rows []row) (*graph.Graph, error) {
	var steps []graph.Step
	for _, r := range rows {
		steps = append(steps, r.step)
	}
	out, err := graph.New(name, steps...)
	if err == nil {
		err = checkReads(rows)
	}
	if err != nil {
		return nil, fmt.Errorf("build flow: %w", err)
	}
	return out, nil
}

// checkReads returns an error unless every step reads only results of steps before it.
func checkReads(rows []row) error {
	byName, byOutput := map[string]row{}, map[any]row{}
	for _, r := range rows {
		byName[r.step.Name] = r
		if r.leaves == nil {
			continue
		}
		if other, found := byOutput[r.leaves]; found {
			return fmt.Errorf("steps %q and %q leave the same output", other.step.Name, r.step.Name)
		}
		byOutput[r.leaves] = r
	}
	for _, r := range rows {
		for _, read := range r.reads {
			source, found := byOutput[read.output]
			switch {
			case r.step.Skip:
			case !found && !read.optional:
				return fmt.Errorf("step %q reads a %T that no step leaves", r.step.Name, read.of)
			case found && !comesAfter(byName, r.step.Name, source.step.Name):
				return fmt.Errorf("step %q reads a %T but does not come after the step %q that leaves it", r.step.Name, read.of, source.step.Name)
			case found && source.step.Skip && !read.optional:
				return fmt.Errorf("step %q reads a %T of the step %q, which is skipped", r.step.Name, read.of, source.step.Name)
			}
		}
	}
	return nil
}

// comesAfter follows predecessors, also over skipped steps, as the flow does.
func comesAfter(rows map[string]row, name, before string) bool {
	for _, predecessor := range rows[name].step.After {
		if predecessor == before || comesAfter(rows, predecessor, before) {
			return true
		}
	}
	return false
}
