package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/hack/conformance/results"
)

// The test of a quick run talks to the API server only.
const (
	quickGroup = "sig-api-machinery"
	quickTest  = "Discovery should validate PreferredVersion for each APIGroup"
)

// shorten makes one short test the whole run. It leaves the reports and the page of whole runs alone.
func (o *options) shorten() {
	o.groups, o.focus, o.procs, o.nodes, o.limit = quickGroup, quickTest, 1, 1, 10*time.Minute
	o.reports, o.page = "quick", filepath.Join(o.work, "quick.md")
}

// passed expects that the quick test ran, and passed.
func passed(all []results.Result) error {
	name := "[" + quickGroup + "] " + quickTest + " [Conformance]"
	for _, result := range all {
		if result.Name == name && result.State == results.Passed {
			fmt.Println("passed:", name)
			return nil
		}
	}
	return fmt.Errorf("%q did not pass; its log and its report are in the directory of reports", name)
}
