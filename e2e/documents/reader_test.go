package documents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

const (
	repository = "../.."
	// patience is how long a command may take. Most wait for a shoot.
	patience = 4 * time.Minute
)

// endless are commands that users interrupt.
var endless = regexp.MustCompile(`--follow|--watch|port-forward|^gardener run\b|^gardener component\b`)

// interrupted are the exit codes of commands that were interrupted: their own, that of a signal, that of timeout.
var interrupted = []int{0, 130, 124}

// reader follows documents in a home of its own.
type reader struct {
	t     *testing.T
	home  *framework.Landscape
	env   []string
	shell *console.Shell // of the document that is read
}

func newReader(t *testing.T) *reader {
	home := framework.NewHome(t)
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	programs := filepath.Join(home.Dir, "bin")
	for _, err := range []error{
		os.Mkdir(programs, 0o755),
		os.Symlink(home.Binary, filepath.Join(programs, "gardener")),
		os.WriteFile(filepath.Join(programs, "kubectl"), []byte("#!/bin/sh\nexec gardener kubectl \"$@\"\n"), 0o755),
		os.Symlink(filepath.Join(root, "examples"), filepath.Join(home.Dir, "examples")),
		os.Mkdir(filepath.Join(home.Dir, ".kube"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return &reader{t: t, home: home, env: []string{"HOME=" + home.Dir, "PATH=" + programs + ":" + os.Getenv("PATH"), "LANG=C.UTF-8"}}
}

// steps are those of a document that can be run.
func steps(t *testing.T, name string) []console.Step {
	t.Helper()
	blocks, err := console.Read(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	var steps []console.Step
	for _, block := range blocks {
		if block.NotRun == "" {
			steps = append(steps, block.Steps...)
		}
	}
	return steps
}

// follow runs the steps in their order in a shell of their own. A step that fails ends the test, since those after it rely on it.
func (r *reader) follow(what string, steps []console.Step) {
	r.t.Helper()
	var err error
	if r.shell, err = console.NewShell(r.home.Dir, r.env); err != nil {
		r.t.Fatal(err)
	}
	defer r.shell.Close()
	done := 0
	r.t.Run("APP-36 "+what, func(t *testing.T) {
		for _, step := range steps {
			r.step(t, step)
			done++
		}
	})
	if done < len(steps) {
		r.t.FailNow()
	}
}

func (r *reader) step(t *testing.T, step console.Step) {
	t.Helper()
	command := withoutComment(step.Command)
	allowed := []int{0}
	run := step.Command
	if endless.MatchString(command) {
		run, allowed = "timeout --foreground --signal=INT 4 "+command, interrupted
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began := time.Now()
	output, code, err := r.shell.Run(ctx, run)
	where := where(step)
	if err != nil || !slices.Contains(allowed, code) {
		t.Fatalf("%s\nends with %d, %v:\n%s", where, code, err, output)
	}
	t.Logf("%s (%s)", where, time.Since(began).Round(100*time.Millisecond))
	if len(step.Output) == 0 {
		return
	}
	if err := console.Compare(step.Output, output); err != nil {
		t.Errorf("%s\n%v", where, err)
	}
}

// where says which command of which document a step is.
func where(step console.Step) string {
	file := strings.TrimPrefix(step.File, repository+"/")
	if step.Line > 0 {
		file += fmt.Sprint(":", step.Line)
	}
	return file + ": " + withoutComment(step.Command)
}

// withoutComment is a command without what the document says about it.
func withoutComment(command string) string {
	before, _, _ := strings.Cut(command, " # ")
	return strings.TrimSpace(before)
}

// indexOf is the index of a command among the steps.
func indexOf(t *testing.T, steps []console.Step, command string) int {
	t.Helper()
	i := slices.IndexFunc(steps, func(s console.Step) bool { return withoutComment(s.Command) == command })
	if i < 0 {
		t.Fatalf("no command %q", command)
	}
	return i
}
