// Package framework drives the built binary in tests as a user does. It runs commands (see package cli) in a
// landscape of the test's own, which is purged when the test ends. Its only expectation is that nothing is left
// behind.
package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// commandTimeout bounds every command, so that a hanging command ends the test and its output is shown.
const commandTimeout = 12 * time.Minute

// Result is the result of a command.
type Result = cli.Result

// Landscape is one landscape under test.
type Landscape struct {
	*cli.Landscape
	// Patience is the time limit of a command; 0 uses a default that suffices for most.
	Patience time.Duration

	t     testing.TB
	purge []string // more flags of the purge at the end
}

// New makes the configuration of a landscape. When the test ends, the landscape is purged, and nothing may be left
// of it.
func New(t testing.TB) *Landscape {
	t.Helper()
	return NewAs(t, nil, t.TempDir())
}

// NewAs is New for another user, who must be able to write the directory.
func NewAs(t testing.TB, user *syscall.Credential, dir string) *Landscape {
	t.Helper()
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	landscape, err := cli.New(binary, dir, user)
	if err != nil {
		t.Fatal(err)
	}
	return of(t, landscape)
}

// NewKind is New for a landscape whose seed is a kind cluster; see cli.NewKind. env leads to the container engine.
func NewKind(t testing.TB, name, nodeImage string, nodeImages map[string]string, env ...string) *Landscape {
	t.Helper()
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	landscape, err := cli.NewKind(binary, t.TempDir(), name, nodeImage, nodeImages)
	if err != nil {
		t.Fatal(err)
	}
	landscape.Env = env
	return of(t, landscape)
}

// NewHome is New for a home without configuration, in which a test starts several landscapes by their names. All of them are purged when
// the test ends.
func NewHome(t testing.TB) *Landscape {
	t.Helper()
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	l := of(t, cli.NewHome(binary, t.TempDir()))
	l.purge = []string{"--all"}
	return l
}

// RareCollections is a GOGC that makes daemons gather four times their heap. The tests need all processors of the machine, and daemons spend a
// quarter of their time on collections without it.
const RareCollections = "400"

func of(t testing.TB, landscape *cli.Landscape) *Landscape {
	landscape.Env = append(landscape.Env, "GOGC="+RareCollections)
	l := &Landscape{Landscape: landscape, t: t}
	t.Cleanup(l.Release)
	t.Cleanup(l.cleanUp)
	return l
}

// For returns the landscape for a subtest. Failures belong to the subtest, and nothing is purged when it ends.
func (l *Landscape) For(t testing.TB) *Landscape {
	return &Landscape{Landscape: l.Landscape, Patience: l.Patience, t: t}
}

// MoveState gives a landscape that has not started yet a state directory with another name, relative to the directory of the test.
func (l *Landscape) MoveState(name string) {
	l.t.Helper()
	config, err := os.ReadFile(l.Config)
	if err != nil {
		l.t.Fatal(err)
	}
	former := "stateDir: " + l.StateDir + "\n"
	l.StateDir = filepath.Join(l.Dir, name)
	if err := l.Write(l.Config, strings.Replace(string(config), former, fmt.Sprintf("stateDir: %q\n", l.StateDir), 1)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *Landscape) cleanUp() {
	if l.t.Failed() {
		l.dump()
	}
	if r := l.Run(append([]string{"down", "--purge", "--yes", "--timeout=2m"}, l.purge...)...); r.Code != 0 {
		l.t.Errorf("purge after the test: %s%s", r.Stdout, r.Stderr)
	}
	if err := testwait.Try(context.Background(), testwait.Patience, func() error {
		if left := l.Processes(); len(left) > 0 { // those of a daemon that was killed die after it
			return fmt.Errorf("processes are left: %v", left)
		}
		return nil
	}); err != nil {
		l.t.Error(err)
	}
}

// Run runs a verb of gardener and returns its result.
func (l *Landscape) Run(args ...string) Result {
	l.t.Helper()
	return l.run(func(ctx context.Context) (Result, error) { return l.Exec(ctx, args...) })
}

// Gardener runs a verb that must succeed and returns its output.
func (l *Landscape) Gardener(args ...string) string {
	l.t.Helper()
	r := l.Run(args...)
	if err := r.Check("gardener " + strings.Join(args, " ")); err != nil {
		l.t.Fatal(err)
	}
	return r.Stdout
}

// Kubectl runs kubectl (that of the binary) with a kubeconfig. It must succeed. While a server is busy or restarts, it tries again.
func (l *Landscape) Kubectl(kubeconfig string, args ...string) string {
	l.t.Helper()
	r := again(func() Result { return l.TryKubectl(kubeconfig, args...) }, func(r Result) bool { return passes(r, args) })
	if err := r.Check("kubectl " + strings.Join(args, " ")); err != nil {
		l.t.Fatal(err)
	}
	return r.Stdout
}

// TryKubectl is Kubectl for commands that may fail.
func (l *Landscape) TryKubectl(kubeconfig string, args ...string) Result {
	l.t.Helper()
	return l.run(func(ctx context.Context) (Result, error) { return l.ExecKubectl(ctx, kubeconfig, args...) })
}

// Shoot writes a kubeconfig for a shoot and returns its file.
func (l *Landscape) Shoot(namespace, name string) string {
	l.t.Helper()
	return l.File("shoot-"+name+".yaml", l.Gardener("kubeconfig", "shoot", namespace+"/"+name))
}

// File writes a file for commands and returns its path.
func (l *Landscape) File(name, content string) string {
	l.t.Helper()
	file := filepath.Join(l.Dir, name)
	if err := l.Write(file, content); err != nil {
		l.t.Fatal(err)
	}
	return file
}

// Status decodes what `gardener status -o json` prints. A part may be slow to answer in that moment, which ends the command with 1.
func (l *Landscape) Status(into any) {
	l.t.Helper()
	if err := json.Unmarshal([]byte(l.status("-o", "json")), into); err != nil {
		l.t.Fatal(err)
	}
}

// StatusTable is what `gardener status` prints, also while a part is slow to answer.
func (l *Landscape) StatusTable() string {
	l.t.Helper()
	return l.status()
}

func (l *Landscape) status(flags ...string) string {
	l.t.Helper()
	result := again(func() Result { return l.Run(append([]string{"status"}, flags...)...) }, func(r Result) bool {
		return r.Code == 1 && r.Stdout == "" // the daemon was slow
	})
	if result.Code > 1 || result.Stdout == "" {
		l.t.Fatalf("gardener status %v ends with %d: %s", flags, result.Code, result.Stderr)
	}
	return result.Stdout
}

func (l *Landscape) run(command func(context.Context) (Result, error)) Result {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), max(l.Patience, commandTimeout))
	defer cancel()
	result, err := command(ctx)
	if err != nil {
		l.t.Fatal(err)
	}
	return result
}
