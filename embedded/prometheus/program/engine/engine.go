// Package engine scrapes targets, stores what they say, and evaluates rules.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/tsdb"

	"github.com/gardener-up/gardener-up/embedded/prometheus/program/api"
	_ "github.com/gardener-up/gardener-up/embedded/prometheus/program/nodes" // registers what discovers nodes
	_ "github.com/gardener-up/gardener-up/embedded/prometheus/program/pods"  // registers what discovers pods by the names of Services
	"github.com/gardener-up/gardener-up/embedded/prometheus/settings"
)

// Bounds of a query.
const (
	queryTimeout = time.Minute
	mostSamples  = 2_000_000 // 32 MB
)

// settle is how long changes of targets are collected. There are few targets.
const settle = time.Second

// stripes of the index in memory. The usual number is for millions of series.
const stripes = 512

// Engine is one Prometheus.
type Engine struct {
	registry *prometheus.Registry
	db       *tsdb.DB
	writes   *bounded // to the database
	targets  *scrape.Manager
	found    *discovery.Manager
	rules    *rules.Manager
	queries  *promql.Engine
	ended    chan error
	cancel   context.CancelFunc
}

// New opens the database and reads the configuration. Nothing runs before Start.
func New(ctx context.Context, log *slog.Logger, s settings.Settings) (*Engine, error) {
	configured, err := load(s.ConfigFile, log)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	registry := prometheus.NewRegistry()
	options := tsdb.DefaultOptions()
	options.RetentionDuration, options.MaxBytes, options.StripeSize = s.Retention.Milliseconds(), s.MaxSize, stripes
	db, err := tsdb.Open(s.DataDir, log, registry, options, tsdb.NewDBStats())
	if err != nil {
		return nil, fmt.Errorf("open the time series in %s: %w", s.DataDir, err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // until Stop
	writes := &bounded{Appendable: db, number: db.Head().NumSeries, most: mostSeries, log: log}
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "gardener_prometheus_refused_samples_total", Help: "Samples of new series that were left out because of the bounds of memory.",
	}, writes.refused))
	e := &Engine{registry: registry, db: db, writes: writes, ended: make(chan error, 1), cancel: cancel}
	if err := e.assemble(ctx, log, configured); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return e, nil
}

func (e *Engine) assemble(ctx context.Context, log *slog.Logger, configured *config.Config) error {
	var err error
	if e.targets, err = scrape.NewManager(&scrape.Options{DiscoveryReloadInterval: model.Duration(settle)}, log, nil, e.writes, e.registry); err != nil {
		return err
	}
	mechanisms, err := discovery.CreateAndRegisterSDMetrics(e.registry)
	if err != nil {
		return err
	}
	e.found = discovery.NewManager(ctx, log, e.registry, mechanisms, discovery.Name("scrape"), discovery.Updatert(settle))
	e.queries = promql.NewEngine(promql.EngineOpts{Logger: log, Reg: e.registry, MaxSamples: mostSamples, Timeout: queryTimeout, EnableAtModifier: true, EnableNegativeOffset: true})
	e.rules = rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(e.queries, e.db), Appendable: e.writes, Queryable: e.db, Context: ctx, Logger: log, Registerer: e.registry,
		ExternalURL: &url.URL{}, NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, // whoever asks the API learns of alerts
	})
	scrapes, err := configured.GetScrapeConfigs()
	if err != nil {
		return fmt.Errorf("read the configuration of scrapes: %w", err)
	}
	searches := map[string]discovery.Configs{}
	for _, one := range scrapes {
		searches[one.JobName] = one.ServiceDiscoveryConfigs
	}
	return errors.Join(
		e.targets.ApplyConfig(configured), e.found.ApplyConfig(searches),
		e.rules.Update(time.Duration(configured.GlobalConfig.EvaluationInterval), configured.RuleFiles, configured.GlobalConfig.ExternalLabels, "", nil),
	)
}

// Start begins to scrape and to evaluate rules.
func (e *Engine) Start() {
	go func() { _ = e.found.Run() }() // ends with the context
	go func() { e.ended <- e.targets.Run(e.found.SyncCh()) }()
	go e.rules.Run()
}

// Stop ends everything, then closes the database.
func (e *Engine) Stop() error {
	e.rules.Stop()
	e.cancel()
	e.targets.Stop()
	err := <-e.ended
	return errors.Join(err, e.db.Close())
}

// Handler answers queries.
func (e *Engine) Handler() http.Handler {
	return api.API{Engine: e.queries, Storage: e.db, Targets: e.targets, Rules: e.rules, Registry: e.registry}.Handler()
}
