// Package results reads what Ginkgo reports about conformance tests, and makes the page of it.
package results

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// State is how a test ended.
type State string

// The states of a test.
const (
	Passed  State = "passed"
	Failed  State = "failed"
	Skipped State = "skipped" // the test itself says why it cannot run here
	NotRun  State = "not run" // not chosen, or the time was over before
)

// Result is the last run of a test.
type Result struct {
	Name    string
	State   State
	Message string
	Took    time.Duration
}

// Group is the special interest group that the test belongs to.
func (r Result) Group() string { return GroupOf(r.Name) }

// GroupOf is the first word in brackets of the name.
func GroupOf(name string) string {
	group, _, _ := strings.Cut(strings.TrimPrefix(name, "["), "]")
	return group
}

// Normal is the name of a test with one blank between words.
func Normal(name string) string { return strings.Join(strings.Fields(name), " ") }

// suiteTimeout is what Ginkgo says of tests that the end of the group's time has ended. That says nothing about the tests.
const suiteTimeout = "A suite timeout occurred"

// report is the part of a report of Ginkgo that is used.
type report struct {
	EndTime     time.Time
	SpecReports []spec
}

type spec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            string
	LeafNodeText            string
	State                   string
	RunTime                 time.Duration
	Failure                 struct{ Message string }
}

func (s spec) name() string {
	return Normal(strings.Join(append(slices.Clone(s.ContainerHierarchyTexts), s.LeafNodeText), " "))
}

func (s spec) result() (Result, bool) {
	r := Result{Name: s.name(), Message: s.Failure.Message, Took: s.RunTime}
	switch s.State {
	case "passed":
		r.State = Passed
	case "skipped":
		r.State = Skipped
		// Tests that were not chosen, and those for which there was no time, have no message.
		return r, r.Message != ""
	case "pending":
		return r, false
	case "interrupted", "aborted": // that says nothing about the test
		return r, false
	default:
		r.State = Failed
		if strings.HasPrefix(r.Message, suiteTimeout) {
			return r, false
		}
	}
	return r, s.LeafNodeType == "It"
}

// Read reads the reports in a directory. If a test ran several times, the last run counts. There is a result for each of the names.
func Read(dir string, names []string) ([]Result, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var reports []report
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var read []report
		if err := json.Unmarshal(content, &read); err != nil {
			return nil, fmt.Errorf("read the report %s: %w", file, err)
		}
		reports = append(reports, read...)
	}
	slices.SortStableFunc(reports, func(a, b report) int { return a.EndTime.Compare(b.EndTime) })
	last := map[string]Result{}
	for _, report := range reports {
		for _, spec := range report.SpecReports {
			if result, ran := spec.result(); ran {
				last[result.Name] = result
			}
		}
	}
	all := make([]Result, 0, len(names))
	for _, name := range names {
		result, ran := last[name]
		if !ran {
			result = Result{Name: name, State: NotRun}
		}
		all = append(all, result)
	}
	return all, nil
}
