package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// clusterTimeout is for making a cluster on a machine that does many other things.
const clusterTimeout = 10 * time.Minute

// theirs is the kind cluster of examples/garden, and a shell in whose directory its kubeconfig is runtime.yaml.
type theirs struct {
	node string
	dir  string
	env  []string
}

func newCluster(t *testing.T) theirs {
	t.Helper()
	if prepared.err != nil {
		testskip.OutsideCI(t, prepared.err)
	}
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "garden"))
	if err := errors.Join(err, os.Symlink(binary, filepath.Join(dir, "gardener")), os.Symlink(examples, filepath.Join(dir, "examples"))); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.Script(imageTimeout, "go", "build", "-trimpath", "-o", filepath.Join(dir, "kind"), "sigs.k8s.io/kind"); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("bootstrap-%d", os.Getpid())
	c := theirs{dir: dir, node: name + "-control-plane", env: append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "KUBECONFIG=/none", "CLUSTER="+name, "NODE_IMAGE="+prepared.nodeImage)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), clusterTimeout)
		defer cancel()
		if out, err := c.command(ctx, "examples/garden.sh down").CombinedOutput(); err != nil {
			t.Errorf("remove the cluster: %v\n%s", err, out)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), clusterTimeout)
	defer cancel()
	if out, err := c.command(ctx, "examples/garden.sh cluster").CombinedOutput(); err != nil {
		t.Fatalf("make the cluster: %v\n%s", err, out)
	}
	return c
}

// command is one in the shell.
func (c theirs) command(ctx context.Context, text string) *exec.Cmd {
	shell := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", text)
	shell.Dir, shell.Env = c.dir, c.env
	return shell
}

func (c theirs) run(t *testing.T, text string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	shell := c.command(t.Context(), text)
	shell.Stdout, shell.Stderr = &out, &err
	failed := shell.Run()
	if exit, is := errors.AsType[*exec.ExitError](failed); is {
		return out.String(), err.String(), exit.ExitCode()
	} else if failed != nil {
		t.Fatal(failed)
	}
	return out.String(), err.String(), 0
}

// succeeds returns what a command prints, which must succeed.
func (c theirs) succeeds(t *testing.T, text string) string {
	t.Helper()
	stdout, stderr, code := c.run(t, text)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s\n%s", text, code, stdout, stderr, c.state(t))
	}
	return stdout + stderr
}

// fails runs a command that must fail in this way.
func (c theirs) fails(t *testing.T, text string, want int, says string) {
	t.Helper()
	if stdout, stderr, code := c.run(t, text); code != want || !strings.Contains(stdout+stderr, says) {
		t.Fatalf("%s: exit code %d, want %d with %q\n%s%s", text, code, want, says, stdout, stderr)
	}
}

// kubectl asks the cluster.
func (c theirs) kubectl(t *testing.T, args string) string {
	t.Helper()
	return c.succeeds(t, "gardener kubectl --kubeconfig runtime.yaml "+args)
}

// state is what helps to understand a failure.
func (c theirs) state(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, question := range []string{"get garden -o yaml", "get pods -A -o wide", "get events -n garden --sort-by=.lastTimestamp", "logs -n garden deployment/gardener-operator --tail=60"} {
		stdout, stderr, _ := c.run(t, "gardener kubectl --kubeconfig runtime.yaml "+question)
		fmt.Fprintf(&all, "---- %s\n%s%s", question, stdout[max(0, len(stdout)-8000):], stderr)
	}
	return all.String()
}

func freePort(t *testing.T) int32 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return int32(l.Addr().(*net.TCPAddr).Port)
}
