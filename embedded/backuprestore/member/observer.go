package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/leases"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/server"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshotter"
)

var restorations = prometheus.NewCounter(prometheus.CounterOpts{Name: "etcdbr_restorations_total", Help: "Number of restorations at the start of this process."})

// RegisterMetrics adds the metrics of members to a registry.
func RegisterMetrics(registry prometheus.Registerer) { registry.MustRegister(restorations) }

const (
	startPause = 100 * time.Millisecond
	// beat is the time between two reports to Kubernetes.
	beat = LongestPeriod
	// firstBeats are more frequent, until the first snapshot is known to Kubernetes.
	firstBeat = 2 * time.Second
)

// Limits of a LeaderCheck.
const (
	// LongestPeriod is also the period if none is given: reports to Kubernetes need a look, too.
	LongestPeriod = 30 * time.Second
	// ShortestPeriod keeps members from asking all the time.
	ShortestPeriod = time.Second
	// DefaultTimeout is the timeout if none is given.
	DefaultTimeout = answerTimeout
)

// LeaderCheck configures how a member looks at who leads.
type LeaderCheck struct {
	// Period is the time between two looks.
	Period time.Duration
	// Timeout bounds a look.
	Timeout time.Duration
}

func (c LeaderCheck) period() time.Duration {
	if c.Period <= 0 {
		return LongestPeriod
	}
	return min(max(c.Period, ShortestPeriod), LongestPeriod)
}

func (c LeaderCheck) timeout() time.Duration {
	if c.Timeout <= 0 {
		return DefaultTimeout
	}
	return min(max(c.Timeout, ShortestPeriod), LongestPeriod)
}

// observer looks at the member: whether it answers, who leads, and what is backed up.
type observer struct {
	*member
	client   *clientv3.Client
	endpoint string
	id       uint64
	revision int64
	learns   bool
	settled  bool
}

func (o *observer) untilRunning(ctx context.Context) {
	for o.look(ctx) != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(startPause):
		}
	}
}

// look finds out whether the member answers, and whether it leads.
func (o *observer) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, o.config.Leader.timeout())
	defer cancel()
	status, err := o.client.Status(ctx, o.endpoint)
	if err != nil {
		o.running.Store(false)
		return err
	}
	o.id, o.revision, o.learns = status.Header.MemberId, status.Header.Revision, status.IsLearner
	o.running.Store(true)
	o.leads.Store(status.Leader == o.id)
	return nil
}

func (o *observer) run(ctx context.Context) {
	var reported time.Time // zero if the next look is to report
	for ctx.Err() == nil {
		pause, led := o.config.Leader.period(), o.leads.Load()
		if err := o.look(ctx); err != nil {
			o.config.Log.Error(err, "The member does not answer")
		} else {
			if err := o.settle(ctx); err != nil {
				o.config.Log.Info("The member is not a full one yet", "reason", err.Error())
				pause, reported = min(pause, firstBeat), time.Time{}
			}
			if o.config.Leases != nil && (due(reported, time.Now(), pause) || o.leads.Load() != led) {
				reported = time.Now()
				if err := o.report(ctx); err != nil {
					o.config.Log.Error(err, "The state of the member cannot be reported")
				}
				if o.store != nil && o.leads.Load() && o.snapshotter.Load().State().LastFull == nil {
					pause, reported = min(pause, firstBeat), time.Time{}
				}
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// due reports whether the next report would come too late if the next look made it. The time of the last report is zero if there was none.
func due(reported, now time.Time, pause time.Duration) bool {
	return now.Add(pause).After(reported.Add(beat))
}

func (o *observer) report(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	role := leases.Member
	if o.leads.Load() {
		role = leases.Leader
	}
	report := leases.Report{Member: fmt.Sprintf("%x", o.id), Role: role}
	if o.store != nil && o.leads.Load() {
		state := o.snapshotter.Load().State()
		report.Full, report.Delta = state.LastFull, state.LastDelta
		report.Latest = state.Latest
		if errors.Is(state.Err, encryption.ErrPlain) {
			report.Problem = state.Err.Error()
		}
	}
	return o.config.Leases.Send(ctx, report)
}

// Initialization implements server.State.
func (m *member) Initialization() server.Initialization {
	switch {
	case m.failed.Load():
		return server.Failed
	case m.prepared.Load():
		return server.Successful
	default:
		return server.Progress
	}
}

// Snapshots implements server.State.
func (m *member) Snapshots(ctx context.Context) ([]snapshot.Snapshot, error) {
	if !m.opened.Load() || m.store == nil {
		return nil, snapshotter.ErrNoBackups
	}
	return m.store.List(ctx)
}

// DecryptsAlone implements server.State.
func (m *member) DecryptsAlone(ctx context.Context, s snapshot.Snapshot) error {
	if !m.opened.Load() || m.store == nil {
		return snapshotter.ErrNoBackups
	}
	return m.store.DecryptsAlone(ctx, s)
}

// Take implements server.State.
func (m *member) Take(ctx context.Context, kind snapshot.Kind, final bool) (*snapshot.Snapshot, error) {
	s := m.snapshotter.Load()
	if s == nil {
		return nil, snapshotter.ErrNoBackups
	}
	return s.Take(ctx, kind, final)
}
