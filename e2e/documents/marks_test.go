package documents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/hack/docs"
)

// programs are what users run; a document shows them only in blocks that are run, or that say why they are not.
var programs = []string{"gardener", "bin/gardener", "kubectl", "make", "docker", "kind", "go", "export", "curl", "gardenctl"}

// TestEveryCommandIsRun needs no landscape: it finds blocks of documents that TestDocuments would not see.
func TestEveryCommandIsRun(t *testing.T) {
	followed := followed()
	for _, file := range documents(t) {
		name := filepath.ToSlash(strings.TrimPrefix(file, repository+"/"))
		t.Run("APP-36 "+name, func(t *testing.T) {
			blocks, err := console.Read(file, programs...)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range blocks {
				if block.NotRun == "" && !slices.Contains(followed, name) {
					t.Errorf("%s:%d: TestDocuments does not follow this document", name, block.Line)
				}
			}
		})
	}
}

// TestEveryExampleIsRun needs no landscape, either.
func TestEveryExampleIsRun(t *testing.T) {
	known := map[string]bool{}
	for _, act := range slices.Concat(acts, laterActs, []act{lastAct}) {
		for _, command := range act.commands {
			known[command] = true
		}
	}
	for _, name := range followed() {
		for _, step := range steps(t, name) {
			known[withoutComment(step.Command)] = true
		}
	}
	found := map[string]bool{}
	for _, step := range references(t) {
		command := withoutComment(step.Command)
		found[command] = true
		if reason := notRun[command]; !known[command] && reason == "" {
			t.Errorf("APP-36 %s:%d: no act has %q", filepath.Base(step.File), step.Line, command)
		}
	}
	for command := range notRun {
		if !found[command] {
			t.Errorf("no page has %q, which is not run", command)
		}
	}
}

func TestStepsSayWhereTheyAre(t *testing.T) {
	of := references(t)
	for command, want := range map[string]string{
		"gardener status":     "docs/cli/gardener_status.md:19: gardener status",
		"gardener no-verb -x": "e2e/documents: gardener no-verb -x",
	} {
		if got := where(placed(of, command)); got != want {
			t.Errorf("APP-36 %q is said to be at %q, want %q", command, got, want)
		}
	}
}

// followed are the documents that TestDocuments follows.
func followed() []string { return append([]string{"README.md", migration, deletion}, pages...) }

// documents are all documents but the generated reference.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := docs.Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d documents", len(files))
	}
	return files
}

func references(t *testing.T) []console.Step {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "docs", "cli", "*.md"))
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
