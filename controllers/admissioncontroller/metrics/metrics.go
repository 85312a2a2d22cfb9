// Package metrics counts what the admission controller does, in the registry that all controllers of the process share.
package metrics

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/graph"
)

const prefix = "gardener_admission_controller_"

// buckets reach from a microsecond to the longest wait of a refusal.
var buckets = prometheus.ExponentialBuckets(1e-6, 4, 11)

var (
	updates = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: prefix + "seed_authorizer_graph_update_duration_seconds", Buckets: buckets,
		Help: "How long it took to change the graph of the garden's objects.",
	}, []string{"kind", "operation"})
	decisions = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: prefix + "seed_authorizer_decision_duration_seconds", Buckets: buckets,
		Help: "How long it took to answer a request for an authorization, including waits.",
	})
	oversized = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: prefix + "oversized_resources_total",
		Help: "Objects larger than their limit, by what happened to them.",
	}, []string{"operation_mode", "group", "resource"})
)

// watched is the graph whose sizes are told.
var watched atomic.Pointer[graph.Graph]

// Register makes the metrics known, once.
var Register = sync.OnceFunc(func() {
	size := func(name, help string, of func(*graph.Graph) int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: prefix + "seed_authorizer_graph_" + name, Help: help}, func() float64 {
			if g := watched.Load(); g != nil {
				return float64(of(g))
			}
			return 0
		})
	}
	metrics.Registry.MustRegister(updates, decisions, oversized,
		size("objects", "Objects in the graph that add edges.", func(g *graph.Graph) int { sources, _ := g.Sizes(); return sources }),
		size("edges", "Edges of the graph.", func(g *graph.Graph) int { _, edges := g.Sizes(); return edges }))
})

// Watch reports the sizes of a graph from now on.
func Watch(g *graph.Graph) { watched.Store(g) }

// GraphUpdated notes a change of the graph.
func GraphUpdated(kind graph.Kind, operation string, took time.Duration) {
	updates.WithLabelValues(string(kind), operation).Observe(took.Seconds())
}

// Decisions measures how long a handler takes.
func Decisions(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next.ServeHTTP(w, r)
		decisions.Observe(time.Since(begin).Seconds())
	})
}

// Oversized notes an object that is larger than its limit.
func Oversized(mode, group, resource string) { oversized.WithLabelValues(mode, group, resource).Inc() }
