package federation

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// Answer is what all targets said.
type Answer struct {
	chunks   map[string][]chunk
	outcomes []outcome
}

// outcome tells how asking a target went.
type outcome struct {
	target Target
	took   time.Duration
	err    error
}

func newAnswer() *Answer { return &Answer{chunks: map[string][]chunk{}} }

func (a *Answer) add(target Target, answered scraped) {
	a.outcomes = append(a.outcomes, outcome{target, answered.took, answered.err})
	if answered.err != nil {
		return
	}
	for name, part := range answered.chunks {
		a.chunks[name] = append(a.chunks[name], part)
	}
}

// Write writes the families that are wanted, sorted by name, and then how asking went. Each family is described once. Where
// targets do not agree on the type of a family it is untyped.
func (a *Answer) Write(w io.Writer, wanted Names) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for _, name := range slices.Sorted(maps.Keys(a.chunks)) {
		if !wanted.Has(name) {
			continue
		}
		parts := a.chunks[name]
		header(out, name, parts[0].help, common(parts))
		for _, part := range parts {
			_, _ = out.Write(part.text) // Flush returns the error
		}
	}
	a.writeOutcomes(out, wanted)
	return out.Flush()
}

func header(out *bufio.Writer, name, help, kind string) {
	if help != "" {
		fmt.Fprintf(out, "# HELP %s %s\n", name, strings.NewReplacer("\\", `\\`, "\n", `\n`).Replace(help))
	}
	fmt.Fprintf(out, "# TYPE %s %s\n", name, kind)
}

func common(parts []chunk) string {
	for _, part := range parts[1:] {
		if part.kind != parts[0].kind {
			return "untyped"
		}
	}
	return strings.ToLower(parts[0].kind.String())
}

// writeOutcomes writes Up and Duration of all targets, and as comments why targets are down.
func (a *Answer) writeOutcomes(out *bufio.Writer, wanted Names) {
	for name, value := range map[string]func(outcome) float64{
		Up: func(o outcome) float64 {
			if o.err != nil {
				return 0
			}
			return 1
		},
		Duration: func(o outcome) float64 { return o.took.Seconds() },
	} {
		if !wanted.Has(name) {
			continue
		}
		kind, family := dto.MetricType_GAUGE, &dto.MetricFamily{Name: &name}
		family.Type = &kind
		for _, o := range a.outcomes {
			now, labels := value(o), o.target.labels()
			family.Metric = append(family.Metric, &dto.Metric{
				Label: relabel(nil, slices.Sorted(maps.Keys(labels)), labels), Gauge: &dto.Gauge{Value: &now},
			})
		}
		writeFamily(out, family)
	}
	for _, o := range a.outcomes {
		if o.err != nil {
			fmt.Fprintf(out, "# down: %s %s %s: %.500q\n", o.target.Cluster, o.target.Job, o.target.Instance, o.err.Error())
		}
	}
}
