package snapshotter

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Metrics are named as those of etcd-backup-restore, so that dashboards and alerts for it work.
var (
	failures = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "etcdbr_snapshot_failures_total", Help: "Number of snapshots that failed.",
	})
	duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "etcdbr_snapshot_duration_seconds", Help: "Time to take and store a snapshot, by kind.", Buckets: []float64{.1, 1, 10, 60, 300},
	}, []string{"kind"})
	revision = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "etcdbr_snapshot_latest_revision", Help: "Last revision of the newest snapshot, by kind.",
	}, []string{"kind"})
	early = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "etcdbr_snapshot_early_full_total", Help: "Number of full snapshots that were taken early, because many changes were stored since the last one.",
	})
	stored = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "etcdbr_snapshot_stored_bytes", Help: "Bytes of all snapshots in the store, after the last deletion of old ones.",
	})
	timestamp = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "etcdbr_snapshot_latest_timestamp", Help: "Unix time of the newest snapshot, by kind.",
	}, []string{"kind"})
)

// RegisterMetrics adds the metrics of all Snapshotters of the process to a registry.
func RegisterMetrics(registry prometheus.Registerer) {
	registry.MustRegister(failures, duration, revision, early, stored, timestamp)
}

// remember notes the newest snapshots of the store. A time in the future says nothing about how far the backups are.
func (s *Snapshotter) remember(all []snapshot.Snapshot) {
	now := s.config.Clock.Now()
	s.note(func(st *State) {
		for i := range all {
			st.add(all[i])
		}
		if len(all) == 0 {
			return
		}
		if newest := all[len(all)-1].Created; !newest.After(now) {
			st.Latest = newest
		} else if st.Latest.IsZero() {
			st.Latest = now
		}
	})
}

func (st *State) add(made snapshot.Snapshot) {
	if made.Kind == snapshot.Full {
		st.LastFull = &made
	} else {
		st.LastDelta = &made
	}
}

// done notes a snapshot that was stored.
func (s *Snapshotter) done(made snapshot.Snapshot, begin time.Time) {
	s.note(func(st *State) {
		st.add(made)
		st.Err, st.Latest = nil, made.Created
	})
	kind := string(made.Kind)
	duration.WithLabelValues(kind).Observe(s.config.Clock.Since(begin).Seconds())
	revision.WithLabelValues(kind).Set(float64(made.End))
	timestamp.WithLabelValues(kind).Set(float64(made.Created.Unix()))
	s.config.Log.Info("Took a snapshot", "snapshot", made.Key(), "bytes", made.Size)
}
