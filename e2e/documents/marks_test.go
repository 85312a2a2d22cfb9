package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/hack/docs"
)

// programs are what users run in any case; a document shows them, and all others that it names elsewhere, only in blocks that are run.
var programs = []string{"gardener", "bin/gardener", "kubectl", "make", "docker", "kind", "go", "export", "curl", "gardenctl"}

// scriptFile runs all tests, so no test can run what it runs.
const scriptFile = ".ci/run"

// TestEveryCommandIsRun needs no landscape: it finds blocks of documents that TestDocuments would not see.
func TestEveryCommandIsRun(t *testing.T) {
	followed, programs := followed(), named(t)
	for _, file := range documents(t) {
		name := filepath.ToSlash(strings.TrimPrefix(file, follow.Repository+"/"))
		t.Run("APP-36 "+name, func(t *testing.T) {
			blocks, err := console.Read(file, programs...)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range blocks {
				switch {
				case block.In == scriptFile:
					for _, step := range block.Steps {
						if command := follow.WithoutComment(step.Command); !scripted(t, command) {
							t.Errorf("%s:%d: %s does not run %q", name, step.Line, scriptFile, command)
						}
					}
				case block.In != "" && !follows(t, block.In, name):
					t.Errorf("%s:%d: no test in %q follows this document", name, block.Line, block.In)
				case block.In == "" && !slices.Contains(followed, name):
					t.Errorf("%s:%d: TestDocuments does not follow this document", name, block.Line)
				}
			}
		})
	}
}

// named are all programs whose commands documents have.
func named(t *testing.T) []string {
	t.Helper()
	all := slices.Clone(programs)
	for _, file := range documents(t) {
		steps := spoken(t, file)
		blocks, err := console.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks {
			steps = append(steps, block.Steps...)
		}
		for _, step := range steps {
			if program := console.Program(step.Command); program != "" && !slices.Contains(all, program) {
				all = append(all, program)
			}
		}
	}
	if len(all) < 30 {
		t.Fatalf("only the programs %q are found", all)
	}
	return all
}

// TestTargetsExist looks for the targets of make that documents name, in blocks or in sentences. Some take too long for a test to run them.
func TestTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(follow.Repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("(?m)(?:`|^\\$ )make (?:-s )?([a-z0-9-]+)").FindAllSubmatch(text, -1) {
			named++
			if target := "\n" + string(match[1]) + ":"; !strings.Contains(string(makefile), target) {
				t.Errorf("APP-36 %s names make %s, which does not exist", file, match[1])
			}
		}
	}
	if named < 15 {
		t.Errorf("only %d targets are found", named)
	}
}

// TestEveryExampleIsRun needs no landscape, either.
func TestEveryExampleIsRun(t *testing.T) {
	known := map[string]bool{}
	for _, act := range allActs() {
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
				known[follow.WithoutComment(step.Command)] = true
			}
		}
	}
	found := map[string]bool{}
	for _, step := range follow.Examples(t) {
		command := follow.WithoutComment(step.Command)
		found[command] = true
		if directory, other := elsewhere[command]; other && !calls(t, directory, fmt.Sprintf("follow.Example(t, %q)", command)) {
			t.Errorf("APP-36 %s:%d: no test in %s runs %q", filepath.Base(step.File), step.Line, directory, command)
		} else if !other && !known[command] {
			t.Errorf("APP-36 %s:%d: no act has %q", filepath.Base(step.File), step.Line, command)
		}
	}
	for command := range elsewhere {
		if !found[command] {
			t.Errorf("no page has %q, which another test is to run", command)
		}
	}
}

func TestStepsSayWhereTheyAre(t *testing.T) {
	of := follow.Examples(t)
	for command, want := range map[string]string{
		"gardener status":     "docs/cli/gardener_status.md:20",
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
	return calls(t, directory, fmt.Sprintf("follow.Steps(t, %q, %q", document, directory))
}

// calls reports whether the tests in a directory contain a call.
func calls(t *testing.T, directory, call string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(follow.Repository, directory, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
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

// scripted reports whether a line of the script of CI begins with a command.
func scripted(t *testing.T, command string) bool {
	t.Helper()
	return slices.ContainsFunc(script(t, scriptFile), func(line string) bool { return line == command || strings.HasPrefix(line, command+" ") })
}

// script are the lines of a script of CI.
func script(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(follow.Repository, file))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
