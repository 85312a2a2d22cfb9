package scaleup

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Expander returns the best of several options, all of them if several are equally good.
type Expander func([]*Option) []*Option

// Names of expanders.
const (
	LeastWaste = "least-waste"
	MostPods   = "most-pods"
	LeastNodes = "least-nodes"
	Priority   = "priority"
	Random     = "random"
)

// ParseExpanders parses names separated by commas. priorities is called for each decision.
func ParseExpanders(names string, priorities func() Priorities) ([]Expander, error) {
	var out []Expander
	for _, name := range strings.Split(names, ",") {
		switch strings.TrimSpace(name) {
		case LeastWaste:
			out = append(out, lowest(waste))
		case MostPods:
			out = append(out, lowest(func(o *Option) float64 { return -float64(len(o.Pods)) }))
		case LeastNodes:
			out = append(out, lowest(func(o *Option) float64 { return float64(len(o.Nodes)) }))
		case Priority:
			out = append(out, func(options []*Option) []*Option {
				p := priorities()
				return lowest(func(o *Option) float64 { return -p.of(o.Group.Name) })(options)
			})
		case Random:
			out = append(out, func(options []*Option) []*Option { return options[rand.IntN(len(options)):][:1] })
		default:
			return nil, fmt.Errorf("read --expander: there is no %q", name)
		}
	}
	return out, nil
}

// choose applies one expander after the other. Among equal options the first one wins.
func choose(options []*Option, expanders []Expander) *Option {
	for _, expander := range expanders {
		if len(options) > 1 {
			options = expander(options)
		}
	}
	if len(options) == 0 {
		return nil
	}
	return options[0]
}

func lowest(value func(*Option) float64) Expander {
	return func(options []*Option) []*Option {
		values := map[*Option]float64{}
		for _, o := range options {
			values[o] = value(o)
		}
		least := slices.MinFunc(options, func(a, b *Option) int { return cmp.Compare(values[a], values[b]) })
		return slices.DeleteFunc(slices.Clone(options), func(o *Option) bool { return values[o] > values[least] })
	}
}

// waste is the share of cpu and memory that would be unused on the new nodes.
func waste(o *Option) float64 {
	sum := 0.0
	for _, n := range o.Nodes {
		sum += n.Unused(corev1.ResourceCPU) + n.Unused(corev1.ResourceMemory)
	}
	return sum / float64(len(o.Nodes))
}

// Priorities rank groups by patterns of their names; the highest rank wins.
type Priorities map[int][]*regexp.Regexp

// ParsePriorities parses a document such as `10: [".*-small-.*"]`, the expander's public format.
func ParsePriorities(document string) (Priorities, error) {
	raw := map[string][]string{}
	if err := yaml.Unmarshal([]byte(document), &raw); err != nil {
		return nil, fmt.Errorf("read priorities: %w", err)
	}
	out := Priorities{}
	for key, patterns := range raw {
		rank, err := strconv.Atoi(key)
		if err != nil {
			return nil, fmt.Errorf("read priorities: %w", err)
		}
		for _, pattern := range patterns {
			compiled, err := regexp.Compile(pattern)
			if err != nil {
				return nil, fmt.Errorf("read pattern of priority %d: %w", rank, err)
			}
			out[rank] = append(out[rank], compiled)
		}
	}
	return out, nil
}

// of is the highest rank of a group; those without one come after all others.
func (p Priorities) of(name string) float64 {
	highest, found := 0, false
	for rank, patterns := range p {
		if slices.ContainsFunc(patterns, func(r *regexp.Regexp) bool { return r.MatchString(name) }) && (!found || rank > highest) {
			highest, found = rank, true
		}
	}
	if !found {
		return -1e12
	}
	return float64(highest)
}
