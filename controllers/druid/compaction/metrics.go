package compaction

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Metrics are named as those of etcd-druid, so that dashboards and alerts for it work.
var (
	compactions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "etcddruid_compaction_jobs_total", Help: "Number of compactions that have ended.",
	}, []string{"succeeded"})
	duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "etcddruid_compaction_job_duration_seconds", Help: "Time from the start of a compaction to its end.", Buckets: []float64{1, 10, 60, 300, 1800, 10800},
	}, []string{"succeeded"})
	deltaEvents = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "etcddruid_compaction_num_delta_events", Help: "Number of events since the last full snapshot.",
	}, []string{"etcd_namespace", "etcd_name"})
	triggered = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "etcddruid_compaction_full_snapshot_triggered_total", Help: "Number of full snapshots that were requested instead of a compaction.",
	}, []string{"succeeded"})
)

func init() { metrics.Registry.MustRegister(compactions, duration, deltaEvents, triggered) }

func observe(job *batchv1.Job, succeeded bool, now time.Time) {
	label := fmt.Sprint(succeeded)
	compactions.WithLabelValues(label).Inc()
	if start := job.Status.StartTime; start != nil {
		duration.WithLabelValues(label).Observe(now.Sub(start.Time).Seconds())
	}
}
