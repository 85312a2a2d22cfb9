package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/scrape"
)

type target struct {
	DiscoveredLabels   labels.Labels       `json:"discoveredLabels"`
	Labels             labels.Labels       `json:"labels"`
	ScrapePool         string              `json:"scrapePool"`
	ScrapeURL          string              `json:"scrapeUrl"`
	LastError          string              `json:"lastError"`
	LastScrape         time.Time           `json:"lastScrape"`
	LastScrapeDuration float64             `json:"lastScrapeDuration"`
	Health             scrape.TargetHealth `json:"health"`
}

func (a API) targets(*http.Request) (any, []string, error) {
	active := []target{}
	for pool, all := range a.Targets.TargetsActive() {
		for _, one := range all {
			builder := labels.NewBuilder(labels.EmptyLabels())
			t := target{
				ScrapePool: pool, ScrapeURL: one.URL().String(), Health: one.Health(), LastScrape: one.LastScrape(), LastScrapeDuration: one.LastScrapeDuration().Seconds(),
				DiscoveredLabels: one.DiscoveredLabels(builder), Labels: one.Labels(builder),
			}
			if err := one.LastError(); err != nil {
				t.LastError = err.Error()
			}
			active = append(active, t)
		}
	}
	return map[string]any{"activeTargets": active, "droppedTargets": []any{}, "droppedTargetCounts": a.Targets.TargetsDroppedCounts()}, nil, nil
}

type alert struct {
	Labels      labels.Labels `json:"labels"`
	Annotations labels.Labels `json:"annotations"`
	State       string        `json:"state"`
	ActiveAt    time.Time     `json:"activeAt"`
	Value       string        `json:"value"`
}

func alertsOf(rule *rules.AlertingRule) []alert {
	out := []alert{}
	for _, one := range rule.ActiveAlerts() {
		out = append(out, alert{
			Labels: one.Labels, Annotations: one.Annotations, State: one.State.String(), ActiveAt: one.ActiveAt, Value: strconv.FormatFloat(one.Value, 'e', -1, 64),
		})
	}
	return out
}

func (a API) alerts(*http.Request) (any, []string, error) {
	out := []alert{}
	for _, rule := range a.Rules.AlertingRules() {
		out = append(out, alertsOf(rule)...)
	}
	return map[string]any{"alerts": out}, nil, nil
}

type rule struct {
	Type           string           `json:"type"`
	Name           string           `json:"name"`
	Query          string           `json:"query"`
	State          string           `json:"state,omitempty"`
	Duration       float64          `json:"duration,omitempty"`
	Labels         labels.Labels    `json:"labels"`
	Annotations    *labels.Labels   `json:"annotations,omitempty"`
	Alerts         []alert          `json:"alerts,omitempty"`
	Health         rules.RuleHealth `json:"health"`
	LastError      string           `json:"lastError,omitempty"`
	LastEvaluation time.Time        `json:"lastEvaluation"`
	EvaluationTime float64          `json:"evaluationTime"`
}

type group struct {
	Name     string  `json:"name"`
	File     string  `json:"file"`
	Interval float64 `json:"interval"`
	Rules    []rule  `json:"rules"`
}

func (a API) rules(*http.Request) (any, []string, error) {
	groups := []group{}
	for _, g := range a.Rules.RuleGroups() {
		out := group{Name: g.Name(), File: g.File(), Interval: g.Interval().Seconds(), Rules: []rule{}}
		for _, one := range g.Rules() {
			out.Rules = append(out.Rules, describe(one))
		}
		groups = append(groups, out)
	}
	return map[string]any{"groups": groups}, nil, nil
}

func describe(one rules.Rule) rule {
	out := rule{
		Type: "recording", Name: one.Name(), Query: one.Query().String(), Labels: one.Labels(), Health: one.Health(),
		LastEvaluation: one.GetEvaluationTimestamp(), EvaluationTime: one.GetEvaluationDuration().Seconds(),
	}
	if err := one.LastError(); err != nil {
		out.LastError = err.Error()
	}
	if alerting, ok := one.(*rules.AlertingRule); ok {
		annotations := alerting.Annotations()
		out.Type, out.State, out.Duration = "alerting", alerting.State().String(), alerting.HoldDuration().Seconds()
		out.Annotations, out.Alerts = &annotations, alertsOf(alerting)
	}
	return out
}
