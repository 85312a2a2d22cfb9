package flow

import (
	"fmt"
	"sort"
	"strings"
)

// Graph is a checked set of steps.
type Graph struct {
	name  string
	steps []Step
	next  map[string][]int // successors of a step by its name
}

// New checks the steps: names are set and unique, predecessors exist, and there is no cycle.
func New(name string, steps ...Step) (*Graph, error) {
	graph := &Graph{name: name, steps: steps, next: map[string][]int{}}
	known := make(map[string]bool, len(steps))
	for _, step := range steps {
		switch {
		case step.Name == "":
			return nil, fmt.Errorf("flow %q has a step without a name", name)
		case known[step.Name]:
			return nil, fmt.Errorf("flow %q has two steps %q", name, step.Name)
		case step.Do == nil && !step.Skip:
			return nil, fmt.Errorf("step %q of flow %q does nothing", step.Name, name)
		}
		known[step.Name] = true
	}
	for i, step := range steps {
		for _, before := range step.After {
			if !known[before] {
				return nil, fmt.Errorf("step %q of flow %q comes after the unknown step %q", step.Name, name, before)
			}
			graph.next[before] = append(graph.next[before], i)
		}
	}
	if _, left := graph.levels(); len(left) > 0 {
		return nil, fmt.Errorf("flow %q has a cycle through: %s", name, strings.Join(left, ", "))
	}
	return graph, nil
}

// Name returns the name given to New.
func (g *Graph) Name() string { return g.name }

// String describes the order for people and golden files. Each step has a line, in order of the earliest round in which
// it can run, with its relevant predecessors. Skipped steps are marked.
func (g *Graph) String() string {
	levels, _ := g.levels()
	var out strings.Builder
	for round, level := range levels {
		for _, i := range level {
			step := g.steps[i]
			mark := " "
			if step.Skip {
				mark = "-"
			}
			fmt.Fprintf(&out, "%s %2d %s", mark, round, step.Name)
			if len(step.After) > 0 {
				after := append([]string(nil), step.After...)
				sort.Strings(after)
				fmt.Fprintf(&out, " <- %s", strings.Join(after, " | "))
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// levels groups the steps by the earliest round in which they can run. Skipped steps do not take up a round. left holds
// the names of steps on a cycle.
func (g *Graph) levels() (levels [][]int, left []string) {
	missing := make([]int, len(g.steps))
	round := make([]int, len(g.steps))
	var ready []int
	for i, step := range g.steps {
		missing[i] = len(step.After)
		if missing[i] == 0 {
			ready = append(ready, i)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		i := ready[done]
		for len(levels) <= round[i] {
			levels = append(levels, nil)
		}
		levels[round[i]] = append(levels[round[i]], i)
		after := round[i]
		if !g.steps[i].Skip {
			after++
		}
		for _, j := range g.next[g.steps[i].Name] {
			round[j] = max(round[j], after)
			if missing[j]--; missing[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	for _, level := range levels {
		sort.Ints(level)
	}
	for i := range g.steps {
		if missing[i] > 0 {
			left = append(left, g.steps[i].Name)
		}
	}
	return levels, left
}
