package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/hack/docs"
)

// programs are what users run; a document shows them only in blocks that are run, or that say why they are not.
var programs = []string{"gardener", "bin/gardener", "kubectl", "make", "docker", "kind", "go", "export", "curl", "gardenctl"}

// TestEveryCommandIsRun needs no landscape: it finds blocks of documents that TestDocuments would not see.
func TestEveryCommandIsRun(t *testing.T) {
	followed := followed()
	for _, file := range documents(t) {
		name := filepath.ToSlash(strings.TrimPrefix(file, follow.Repository+"/"))
		t.Run("APP-36 "+name, func(t *testing.T) {
			blocks, err := console.Read(file, programs...)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range blocks {
				switch {
				case block.NotRun != "":
				case block.In != "" && !follows(t, block.In, name):
					t.Errorf("%s:%d: no test in %s follows this document", name, block.Line, block.In)
				case block.In == "" && !slices.Contains(followed, name):
					t.Errorf("%s:%d: TestDocuments does not follow this document", name, block.Line)
				}
			}
		})
	}
}

// TestEveryExampleIsRun needs no landscape, either.
func TestEveryExampleIsRun(t *testing.T) {
	known := map[string]bool{}
	for _, act := range slices.Concat(acts, []act{seedAct, shootsAct, lastAct}) {
		for _, command := range act.commands {
			known[command] = true
		}
	}
	for _, file := range documents(t) {
		blocks, err := console.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks {
			for _, step := range block.Steps {
				command := follow.WithoutComment(step.Command)
				known[command] = known[command] || block.NotRun == ""
			}
		}
	}
	found := map[string]bool{}
	for _, step := range references(t) {
		command := follow.WithoutComment(step.Command)
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
		"gardener status":     "docs/cli/gardener_status.md:19",
		"gardener no-verb -x": "e2e/documents",
	} {
		if got := follow.Place(placed(of, command)); got != want {
			t.Errorf("APP-36 %q is said to be at %q, want %q", command, got, want)
		}
	}
}

// followed are the documents that TestDocuments follows.
func followed() []string { return append([]string{"README.md", migration, deletion}, pages...) }

// follows reports whether the tests in a directory follow a document.
func follows(t *testing.T, directory, document string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(follow.Repository, directory, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	call := fmt.Sprintf("follow.Steps(t, %q, %q", document, directory)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), call) {
			return true
		}
	}
	return false
}

// documents are all documents but the generated reference.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := docs.Pages(follow.Repository)
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
	files, err := filepath.Glob(filepath.Join(follow.Repository, "docs", "cli", "*.md"))
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
