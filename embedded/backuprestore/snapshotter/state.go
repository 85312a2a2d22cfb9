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

// remember notes the newest snapshots of the store.
func (s *Snapshotter) remember(all []snapshot.Snapshot) {
	s.note(func(st *State) {
		for i := range all {
			st.add(all[i])
		}
	})
}

func (st *State) add(made snapshot.Snapshot) {
	if made.Kind == snapshot.Full {
		st.LastFull = &made
	} else {
		st.LastDelta = &made
	}
	if made.Created.After(st.Latest) {
		st.Latest = made.Created
	}
}

// done notes a snapshot that was stored.
func (s *Snapshotter) done(made snapshot.Snapshot, begin time.Time) {
	s.note(func(st *State) {
		st.add(made)
		st.Err = nil
	})
	kind := string(made.Kind)
	duration.WithLabelValues(kind).Observe(s.config.Clock.Since(begin).Seconds())
	revision.WithLabelValues(kind).Set(float64(made.End))
	timestamp.WithLabelValues(kind).Set(float64(made.Created.Unix()))
	s.config.Log.Info("Took a snapshot", "snapshot", made.Key(), "bytes", made.Size)
}
