// Lint runs the checks of staticcheck on packages of this module: go run ./hack/lint ./...
//
// Staticcheck's own command also analyses each function of each dependency for facts, such as that it never returns nil. The dependencies of
// this module are those of Kubernetes, and that takes ten minutes on two cores. So this command looks at other modules only for what costs
// little: what is deprecated, and what never returns. A finding is lost only where a check needs another fact about a function of another
// module, as SA4017 does for a result that nobody uses.
package main

import (
	"os"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"honnef.co/go/tools/analysis/facts/deprecated"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/lintcmd"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// ours begins the path of each package of this module.
const ours = "github.com/gardener-up/gardener-up/"

func main() {
	command := lintcmd.NewCommand("lint")
	command.ParseFlags(os.Args[1:])
	seen := analyzers{}
	seen.everywhere(deprecated.Analyzer)
	seen.everywhere(ctrlflow.Analyzer)
	for _, checks := range [][]*lint.Analyzer{simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers, {unused.Analyzer}} {
		for _, check := range checks {
			seen.onlyHere(check.Analyzer)
		}
		command.AddAnalyzers(checks...)
	}
	command.Run()
}

// analyzers are those for which it is settled where they run.
type analyzers map[*analysis.Analyzer]bool

// everywhere lets an analyzer, and those that it requires, run for packages of all modules.
func (s analyzers) everywhere(a *analysis.Analyzer) {
	s[a] = true
	for _, required := range a.Requires {
		s.everywhere(required)
	}
}

// onlyHere lets an analyzer, and those that it requires, run for packages of this module only, unless they were to run everywhere. In other
// modules the result of each is the zero value of its type, which nobody reads, since no check runs there.
func (s analyzers) onlyHere(a *analysis.Analyzer) {
	if s[a] {
		return
	}
	s[a] = true
	for _, required := range a.Requires {
		s.onlyHere(required)
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		if strings.HasPrefix(pass.Pkg.Path(), ours) {
			return run(pass)
		}
		if a.ResultType == nil {
			return nil, nil
		}
		return reflect.Zero(a.ResultType).Interface(), nil
	}
}
