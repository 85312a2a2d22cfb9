// Package federation serves the metrics of many servers at one address, in the text format of Prometheus. It asks the servers when
// somebody asks it. Labels say which cluster, job and instance a series is of. It knows neither Kubernetes nor Gardener.
package federation

import (
	"context"
	"errors"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// Labels of every series. What a server says under these names becomes exported_cluster and so on, so no server can speak for another.
const (
	LabelCluster  = "cluster"
	LabelJob      = "job"
	LabelInstance = "instance"
)

// Up is 1 for a target that answered and 0 for one that did not. Duration is how long it took, in seconds. Servers cannot serve these
// names.
const (
	Up       = "up"
	Duration = "scrape_duration_seconds"
)

// Target is a server with metrics.
type Target struct {
	Cluster, Job, Instance string
	// Labels are further ones, such as the role of an etcd.
	Labels map[string]string
	// Gather asks the server.
	Gather func(ctx context.Context) (Families, error)
}

// Families are metrics by the names of their families.
type Families map[string]*dto.MetricFamily

func (t Target) key() string { return t.Cluster + "\x00" + t.Job + "\x00" + t.Instance }

// labels of all series of the target.
func (t Target) labels() map[string]string {
	out := map[string]string{LabelCluster: t.Cluster, LabelJob: t.Job, LabelInstance: t.Instance}
	for name, value := range t.Labels {
		out[name] = value
	}
	return out
}

// Limits bound what an answer costs.
type Limits struct {
	// Target is how long a server may take to answer. All together may take Whole.
	Target, Whole time.Duration
	// Fresh is how long an answer is kept for others who ask, so that a second Prometheus costs nothing.
	Fresh time.Duration
	// Concurrent is how many servers are asked at a time.
	Concurrent int
	// Bytes is how much text of all servers is kept at a time, and Cluster how much of those of one cluster. Servers that say more count
	// as down.
	Bytes, Cluster int
}

// DefaultLimits fit the 10 seconds that Prometheus waits by default, and 60 shoots of 2 MiB each.
func DefaultLimits() Limits {
	return Limits{Target: 8 * time.Second, Whole: 9 * time.Second, Fresh: 5 * time.Second, Concurrent: 4, Bytes: 256 << 20, Cluster: 64 << 20}
}

// Federation asks targets and keeps their answers for a moment.
type Federation struct {
	limits Limits
	slots  chan struct{}
	kept   kept
}

// New returns a federation that has asked nobody yet.
func New(limits Limits) *Federation {
	return &Federation{limits: limits, slots: make(chan struct{}, limits.Concurrent), kept: newKept(limits)}
}

// errLate is why a target is down that had no time to answer.
var errLate = errors.New("did not answer in time")

// Ask asks all targets. A target that does not answer is in the answer as one that is down.
func (f *Federation) Ask(ctx context.Context, targets []Target) *Answer {
	ctx, cancel := context.WithTimeout(ctx, f.limits.Whole)
	defer cancel()
	pending := make([]*entry, len(targets))
	for i, target := range targets {
		pending[i] = f.kept.of(target, func() scraped { return f.scrape(target) })
	}
	answer := newAnswer()
	for i, target := range targets {
		answer.add(target, pending[i].wait(ctx))
	}
	return answer
}

// scrape does not depend on who asks, since others may wait for the same answer.
func (f *Federation) scrape(target Target) scraped {
	f.slots <- struct{}{}
	defer func() { <-f.slots }()
	ctx, cancel := context.WithTimeout(context.Background(), f.limits.Target)
	defer cancel()
	start := time.Now()
	families, err := target.Gather(ctx)
	if err != nil {
		return scraped{err: err, took: time.Since(start)}
	}
	chunks, err := render(families, target.labels())
	return scraped{chunks: chunks, err: err, took: time.Since(start)}
}
