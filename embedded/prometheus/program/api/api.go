// Package api answers the questions of Prometheus' HTTP API that dashboards and people ask: queries, series, labels, targets, rules and alerts.
package api

import (
	"net/http"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/storage"
)

// longestForm is that of a question in a body.
const longestForm = 1 << 20

// API has what it asks.
type API struct {
	Engine   *promql.Engine
	Storage  storage.Queryable
	Targets  *scrape.Manager
	Rules    *rules.Manager
	Registry *prometheus.Registry
}

// Handler serves the paths.
func (a API) Handler() http.Handler {
	mux := http.NewServeMux()
	for path, q := range map[string]question{
		"/api/v1/query": a.query, "/api/v1/query_range": a.queryRange, "/api/v1/series": a.series,
		"/api/v1/labels": a.labelNames, "/api/v1/label/{name}/values": a.labelValues,
		"/api/v1/targets": a.targets, "/api/v1/rules": a.rules, "/api/v1/alerts": a.alerts,
		"/api/v1/status/buildinfo": buildInfo,
	} {
		mux.Handle("GET "+path, q)
		mux.Handle("POST "+path, q)
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.Registry, promhttp.HandlerOpts{}))
	return mux
}

// buildInfo is what dashboards ask to learn which functions there are.
func buildInfo(*http.Request) (any, []string, error) {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/prometheus/prometheus" {
				version = module.Version
			}
		}
	}
	return map[string]string{"version": released(version)}, nil, nil
}
