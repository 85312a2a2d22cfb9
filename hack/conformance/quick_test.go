package main

import (
	"testing"

	"github.com/gardener-up/gardener-up/hack/conformance/results"
)

func TestQuick(t *testing.T) {
	const name = "[sig-api-machinery] Discovery should validate PreferredVersion for each APIGroup [Conformance]"
	for what, test := range map[string]struct {
		state results.State
		ok    bool
	}{
		"passed": {results.Passed, true}, "failed": {results.Failed, false}, "not run": {results.NotRun, false}, "skipped": {results.Skipped, false},
	} {
		t.Run("APP-18 a quick run whose test is "+what, func(t *testing.T) {
			err := passed([]results.Result{{Name: "[sig-apps] other", State: results.Passed}, {Name: name, State: test.state}})
			if (err == nil) != test.ok {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("APP-18 a quick run leaves the page and the reports of whole runs alone", func(t *testing.T) {
		o := options{reports: "reports", page: "docs/conformance.md", work: "work"}
		o.shorten()
		if o.reports == "reports" || o.page == "docs/conformance.md" {
			t.Errorf("reports in %s, page %s", o.reports, o.page)
		}
	})
}
