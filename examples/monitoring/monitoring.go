// Package monitoring holds dashboards for Grafana and Plutono and alert rules for Prometheus, for the metrics that "gardener metrics"
// serves. It finds the names of metrics in them, so that tests can compare these with what is served.
package monitoring

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"
)

//go:embed *.json alerts.yaml
var files embed.FS

// Dashboard is the part of a dashboard that queries.
type Dashboard struct {
	UID    string  `json:"uid"`
	Title  string  `json:"title"`
	Panels []Panel `json:"panels"`
}

// Panel shows the results of queries.
type Panel struct {
	Title   string `json:"title"`
	Targets []struct {
		Expr string `json:"expr"`
	} `json:"targets"`
}

// Rules are alert rules.
type Rules struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []Rule `json:"rules"`
	} `json:"groups"`
}

// Rule is an alert.
type Rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// Dashboards reads all dashboards.
func Dashboards() ([]Dashboard, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var out []Dashboard
	for _, entry := range entries {
		if entry.Name() == "alerts.yaml" {
			continue
		}
		text, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		var read Dashboard
		if err := json.Unmarshal(text, &read); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		out = append(out, read)
	}
	return out, nil
}

// Alerts reads the alert rules.
func Alerts() (Rules, error) {
	var out Rules
	text, err := files.ReadFile("alerts.yaml")
	if err != nil {
		return out, err
	}
	return out, yaml.UnmarshalStrict(text, &out)
}

// Expressions are all that dashboards and alert rules ask Prometheus.
func Expressions() ([]string, error) {
	dashboards, err := Dashboards()
	if err != nil {
		return nil, err
	}
	rules, err := Alerts()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, dashboard := range dashboards {
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				out = append(out, target.Expr)
			}
		}
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			out = append(out, rule.Expr)
		}
	}
	return out, nil
}

var (
	noMetrics = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring)\s*\([^)]*\)`) // labels and times
	word      = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
	name      = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// operators are words in expressions that are neither metrics nor functions.
var operators = []string{"or", "and", "unless", "bool", "offset"}

// Names are the metrics in expressions.
func Names(expressions []string) []string {
	found := map[string]bool{}
	for _, expression := range expressions {
		for _, word := range word.FindAllString(noMetrics.ReplaceAllString(expression, " "), -1) {
			if trimmed := regexp.MustCompile(`\s+$`).ReplaceAllString(word, ""); name.MatchString(trimmed) && !slices.Contains(operators, trimmed) {
				found[trimmed] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// AlertRules is the file with the alert rules as Prometheus reads it.
func AlertRules() string {
	text, err := files.ReadFile("alerts.yaml")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}
