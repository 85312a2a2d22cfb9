package monitoring

import (
	"context"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/rest"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

// ofGarden are the servers of the garden and the controllers of the landscape.
func (f finder) ofGarden() []federation.Target {
	here := func(job string, gather func(context.Context) (federation.Families, error)) federation.Target {
		return federation.Target{Cluster: federation.Garden, Job: job, Instance: f.Landscape, Labels: map[string]string{labelProcess: thisProcess}, Gather: gather}
	}
	parts := prometheus.NewRegistry()
	parts.MustRegister(partCollector{f.Parts})
	return []federation.Target{
		here(jobAPIServer, ofServer(f.GardenConfig)),
		here(jobEtcd, federation.Registry(prometheus.DefaultGatherer)),
		here(jobManagers, federation.Registry(ctrlmetrics.Registry)),
		here(jobParts, federation.Registry(parts)),
	}
}

// ofServer asks an API server at /metrics.
func ofServer(config *rest.Config) func(context.Context) (federation.Families, error) {
	return func(ctx context.Context) (federation.Families, error) {
		client, err := clientOf(config)
		if err != nil {
			return nil, err
		}
		return federation.HTTP(client, strings.TrimSuffix(config.Host, "/")+metricsPath, federation.Longest)(ctx)
	}
}

// partCollector reports the parts of the landscape, as "gardener status" does.
type partCollector struct{ parts func() []component.Status }

var (
	partServes   = prometheus.NewDesc("gardener_part_serves", "Whether a part of the landscape serves: 1 or 0.", []string{"part"}, nil)
	partRestarts = prometheus.NewDesc("gardener_part_restarts_total", "How often a part of the landscape was started again after it had ended by itself.", []string{"part"}, nil)
)

// Describe implements prometheus.Collector.
func (partCollector) Describe(to chan<- *prometheus.Desc) { to <- partServes; to <- partRestarts }

// Collect implements prometheus.Collector.
func (c partCollector) Collect(to chan<- prometheus.Metric) {
	for _, part := range c.parts() {
		serves := 0.0
		if part.Started() && part.Serves() {
			serves = 1
		}
		to <- prometheus.MustNewConstMetric(partServes, prometheus.GaugeValue, serves, part.Name)
		to <- prometheus.MustNewConstMetric(partRestarts, prometheus.CounterValue, float64(part.Restarts), part.Name)
	}
}
