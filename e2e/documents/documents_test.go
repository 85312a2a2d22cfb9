// Package documents does what the documents say: it runs their commands as a reader would and compares what they print.
//
//	documents_test.go   the order of the documents
//	reference_test.go   the order of the examples in the reference of the command line
//	marks_test.go       no command in any document is left out
//	sentences_test.go   nor one in a sentence
//	quotations_test.go  what sentences quote and nobody runs
//	recipes_test.go     nor one in a job of a CI system
//	follow              the reader: a home, a shell, and how commands that do not end are run
//	console             commands in documents, and what they print
//	words               whether a command is one that was run
package documents

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestDocuments is one landscape, from the first command of the README to the last one.
func TestDocuments(t *testing.T) {
	home := framework.NewHome(t)
	r := follow.New(t, home)
	tour := steps(t, "README.md")
	begin, end := indexOf(t, tour, "bin/gardener up"), indexOf(t, tour, "gardener down")
	r.Follow(t, "the README's tour", tour[begin:end])
	// The tour said where the kubeconfig of the garden is, and all pages expect kubectl to use it.
	r.Env = append(r.Env, "KUBECONFIG="+filepath.Join(home.StateDir, "gardener", "local", "kubeconfigs", "garden.yaml"))
	for _, page := range pages {
		r.Follow(t, page, steps(t, page))
	}
	prepare(t, home)
	r.Names = append(r.Names, "/mnt/backups", filepath.Join(home.Dir, "backups"))
	for _, act := range acts {
		act.play(t, r)
	}
	r.Follow(t, migration, steps(t, migration))
	r.Follow(t, deletion, steps(t, deletion))
	seedAct.play(t, r)
	oldGroupAct.play(t, r)
	purge := indexOf(t, tour, "gardener down --purge --yes")
	// make brings up what was stopped, which saves the start of another landscape. The README's own command finds it running.
	r.Follow(t, "the README's stop", tour[end:end+1])
	atCheckout(r, home).Follow(t, "the README's first command", tour[:begin])
	r.Follow(t, "the README's end", tour[end+1:purge])
	shootsAct.play(t, hurried(r))
	r.Follow(t, "the README's last command", tour[purge:])
	restoreAct.play(t, r)
	followRecipe(t, r, home)
	lastAct.play(t, r)
}

// atCheckout is the reader before the first command. The binary is built, so make does not build another while others test it.
func atCheckout(r *follow.Reader, home *framework.Landscape) *follow.Reader {
	other := *r
	other.Checkout, other.Env = true, append(slices.Clone(r.Env), "BINARY="+home.Binary, "GO=true")
	return &other
}

// hurried is the reader without the time to wait for shoots.
func hurried(r *follow.Reader) *follow.Reader {
	other := *r
	other.Hurried = true
	return &other
}

// steps are those of a document that run here.
func steps(t *testing.T, document string) []console.Step { return follow.Steps(t, document, "") }

// indexOf is the index of a command among the steps.
func indexOf(t *testing.T, steps []console.Step, command string) int {
	t.Helper()
	i := slices.IndexFunc(steps, func(s console.Step) bool { return follow.WithoutComment(s.Command) == command })
	if i < 0 {
		t.Fatalf("no command %q", command)
	}
	return i
}
