package monitoring

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	got := Names([]string{
		`sum by (cluster) (rate(apiserver_request_total{code=~"5.."}[5m])) / on (cluster) x_total > 0.05`, `count(up == 0) or vector(0)`,
		`histogram_quantile(0.99, sum by (le, verb) (rate(y_bucket{verb!~"WATCH|CONNECT"}[5m])))`,
	})
	if diff := cmp.Diff([]string{"apiserver_request_total", "up", "x_total", "y_bucket"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestFiles(t *testing.T) {
	dashboards, err := Dashboards()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, dashboard := range dashboards {
		if dashboard.UID == "" || seen[dashboard.UID] || len(dashboard.Panels) == 0 {
			t.Errorf("dashboard %q has no ID of its own, or no panels", dashboard.Title)
		}
		seen[dashboard.UID] = true
		for _, panel := range dashboard.Panels {
			for _, target := range panel.Targets {
				if len(Names([]string{target.Expr})) == 0 {
					t.Errorf("%s: %s asks for no metric: %s", dashboard.Title, panel.Title, target.Expr)
				}
			}
		}
	}
	rules, err := Alerts()
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" || seen[rule.Alert] || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || len(Names([]string{rule.Expr})) == 0 {
				t.Errorf("alert %q of group %s lacks a name of its own, severity, summary or metric", rule.Alert, group.Name)
			}
			if strings.Count(rule.Expr, "(") != strings.Count(rule.Expr, ")") {
				t.Errorf("alert %s: brackets do not fit: %s", rule.Alert, rule.Expr)
			}
			seen[rule.Alert] = true
		}
	}
}
