package follow

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
)

// Examples are the commands in the reference of the command line, page by page.
func Examples(t *testing.T) []console.Step {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository, "docs", "cli", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []console.Step
	for _, file := range files {
		of, err := console.Examples(file)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, of...)
	}
	if len(steps) < 50 {
		t.Fatalf("only %d examples", len(steps))
	}
	return steps
}

// Example is a command of the reference that another test than that of all documents runs. The test of marks looks for the call, so the
// command is a literal there.
func Example(t *testing.T, command string) []console.Step {
	t.Helper()
	all := Examples(t)
	i := slices.IndexFunc(all, func(s console.Step) bool { return WithoutComment(s.Command) == command })
	if i < 0 {
		t.Fatalf("the reference has no example %q", command)
	}
	return all[i : i+1]
}
