// Package follow does what documents say: it runs their commands in a shell as a reader would, and compares what they print.
package follow

import (
	"context"
	"errors"
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

// Repository is the root of the repository, seen from a package of end-to-end tests.
const Repository = "../.."

// patience is how long a command may take. Most wait for a shoot.
const patience = 12 * time.Minute

// endless are commands that users interrupt.
var endless = regexp.MustCompile(`--follow|--watch|port-forward|^gardener run\b|^gardener component\b`)

// looks are commands that change nothing. A reader who sees something that is not ready yet looks again, for a minute.
var looks = regexp.MustCompile(`^(KUBECONFIG=\S+ )?(kubectl (--kubeconfig \S+ )?(get|wait)|gardener (status|metrics get|kubectl get|(shoot|seed|landscape) (list|describe)))\b[^&|;>]*$`)

// waiting are commands that wait for a shoot. The operation goes on when they are interrupted.
var waiting = regexp.MustCompile(`^gardener shoot (create|delete)\b[^>]*$`)

// interrupted are the exit codes of commands that were interrupted: their own, that of a signal, that of timeout.
var interrupted = []int{0, 130, 124}

// Reader follows documents in the directory of a landscape.
type Reader struct {
	// Env is the environment of commands.
	Env []string
	// Names are words of documents and what they are called here, in pairs. Commands have the latter, and what they print is compared
	// with the former.
	Names []string
	// Hurried readers interrupt commands that wait for a shoot after a few seconds.
	Hurried bool
	// Checkout readers are in the root of the repository, others in the directory of the landscape.
	Checkout bool

	dir  string
	done map[string]bool // file:line of the steps that were taken
}

// New returns a reader whose gardener and kubectl are the binary of the landscape. The directory gets a folder bin for them.
func New(t *testing.T, l *framework.Landscape) *Reader {
	t.Helper()
	root, err := filepath.Abs(Repository)
	if err != nil {
		t.Fatal(err)
	}
	programs := filepath.Join(l.Dir, "bin")
	for _, err := range []error{
		os.Mkdir(programs, 0o755),
		os.Symlink(l.Binary, filepath.Join(programs, "gardener")),
		os.WriteFile(filepath.Join(programs, "kubectl"), []byte("#!/bin/sh\nexec gardener kubectl \"$@\"\n"), 0o755),
		os.Symlink(filepath.Join(root, "examples"), filepath.Join(l.Dir, "examples")),
		os.MkdirAll(filepath.Join(l.Dir, ".kube"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	env := append([]string{"HOME=" + l.Dir, "PATH=" + programs + ":" + os.Getenv("PATH"), "LANG=C.UTF-8"}, l.Env...)
	if l.Config != "" { // a landscape that is not the only one of its home
		env = append(env, "GARDENER_CONFIG="+l.Config, "KUBECONFIG="+l.Garden())
	}
	return &Reader{dir: l.Dir, Env: env, done: map[string]bool{}}
}

// Steps are those of a document that a test has to run, by its directory, which is empty for the test of all documents. headings are
// the sections that matter; none for all.
func Steps(t *testing.T, document, test string, headings ...string) []console.Step {
	t.Helper()
	blocks, err := console.Read(filepath.Join(Repository, document))
	if err != nil {
		t.Fatal(err)
	}
	var steps []console.Step
	for _, block := range blocks {
		if block.In == test && (len(headings) == 0 || slices.Contains(headings, block.Heading)) {
			steps = append(steps, block.Steps...)
		}
	}
	if len(steps) == 0 {
		t.Fatalf("%s has no commands for %q in sections %q", document, test, headings)
	}
	return steps
}

// Follow runs the steps in their order in a shell of their own. A step that fails ends the test, since those after it rely on it.
func (r *Reader) Follow(t *testing.T, what string, steps []console.Step) {
	t.Helper()
	shell, err := console.NewShell(r.dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	if r.Checkout {
		enter(t, shell)
	}
	done := 0
	t.Run("APP-36 "+what, func(t *testing.T) {
		for _, step := range steps {
			r.step(t, shell, step)
			done++
		}
	})
	if done < len(steps) {
		t.FailNow()
	}
}

func enter(t *testing.T, shell *console.Shell) {
	t.Helper()
	root, err := filepath.Abs(Repository)
	if err != nil {
		t.Fatal(err)
	}
	if output, code, err := shell.Run(t.Context(), fmt.Sprintf("cd %q", root)); err != nil || code != 0 {
		t.Fatalf("cd %s ends with %d, %v:\n%s", root, code, err, output)
	}
}

func (r *Reader) step(t *testing.T, shell *console.Shell, step console.Step) {
	t.Helper()
	command := strings.NewReplacer(r.Names...).Replace(WithoutComment(step.Command))
	run, allowed := command, []int{0}
	switch {
	case endless.MatchString(command):
		run, allowed = "timeout --foreground --signal=INT 4 "+command, interrupted
	case r.Hurried && waiting.MatchString(command): // but the shoot has to be ordered
		run, allowed = "timeout --foreground --signal=INT 15 "+command, interrupted
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began, at := time.Now(), Place(step)
	r.done[at] = true
	err := r.run(ctx, shell, run, allowed, step.Output)
	for looked := 0; err != nil && looked < 30 && repeatable(command, err); looked++ {
		time.Sleep(2 * time.Second)
		err = r.run(ctx, shell, run, allowed, step.Output)
	}
	if failed := (failure{}); errors.As(err, &failed) {
		t.Fatalf("%s: %s\n%v", at, command, err)
	} else if err != nil {
		t.Errorf("%s: %s\n%v", at, command, err)
		return
	}
	t.Logf("%s: %s (%s)", at, command, time.Since(began).Round(100*time.Millisecond))
}

// failure is a command that ended otherwise than it should. What comes after it cannot work.
type failure struct{ what string }

func (f failure) Error() string { return f.what }

// run runs a command once and compares what it prints with the document, if that says anything.
func (r *Reader) run(ctx context.Context, shell *console.Shell, command string, allowed []int, documented []string) error {
	output, code, err := shell.Run(ctx, command)
	switch {
	case err != nil || !slices.Contains(allowed, code):
		return failure{fmt.Sprintf("ends with %d, %v:\n%s", code, err, output)}
	case len(documented) == 0:
		return nil
	}
	return console.Compare(documented, r.asDocumented(output))
}

// repeatable reports whether a command may run again after an error: it only looked, or it came before a namespace was complete.
func repeatable(command string, err error) bool {
	return looks.MatchString(command) || strings.Contains(err.Error(), "error looking up service account")
}

// Place says in which line of which document a step is, if it is in one.
func Place(step console.Step) string {
	file := strings.TrimPrefix(step.File, Repository+"/")
	if step.Line > 0 {
		file += fmt.Sprint(":", step.Line)
	}
	return file
}

// Left are the places of steps that were not taken.
func (r *Reader) Left(steps []console.Step) []string {
	var left []string
	for _, step := range steps {
		if at := Place(step); !r.done[at] {
			left = append(left, at)
		}
	}
	return left
}

// asDocumented gives what was printed the names that the documents use.
func (r *Reader) asDocumented(output string) string {
	back := slices.Clone(r.Names)
	slices.Reverse(back) // of each pair and of all pairs
	return strings.NewReplacer(back...).Replace(output)
}

// WithoutComment is a command without what the document says about it.
func WithoutComment(command string) string {
	before, _, _ := strings.Cut(command, " # ")
	return strings.TrimSpace(before)
}
