// Package framework drives the built binary as a user does: it runs commands in a landscape of its own, with a temporary
// state directory, free ports and address ranges that no other landscape uses. It contains no expectations.
package framework

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
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// commandTimeout bounds every command, so that a hanging one ends the test with its output.
const commandTimeout = 6 * time.Minute

// Landscape is one landscape under test.
type Landscape struct {
	t      testing.TB
	Binary string
	// Dir is the working directory of all commands; the state is below it.
	Dir, StateDir, Config string
	// User runs the commands; nil means the test's own user.
	User *syscall.Credential
}

// Result is a command that has ended.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// New makes the configuration of a landscape. When the test ends, the landscape is purged and nothing may be left of it.
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
	l := &Landscape{t: t, Binary: binary, Dir: dir, StateDir: filepath.Join(dir, "state"), Config: filepath.Join(dir, "landscape.yaml"), User: user}
	pods, services := freeRanges(t)
	l.write(l.Config, fmt.Sprintf("frontDoor: {port: 0}\nstateDir: %s\nseed: {podCIDR: %s, serviceCIDR: %s}\n", l.StateDir, pods, services))
	t.Cleanup(l.cleanUp)
	return l
}

func (l *Landscape) cleanUp() {
	if l.t.Failed() {
		l.dump()
	}
	if r := l.Run("down", "--purge", "--timeout=30s"); r.Code != 0 {
		l.t.Errorf("purge after the test: %s%s", r.Stdout, r.Stderr)
	}
	if left := l.Processes(); len(left) > 0 {
		l.t.Errorf("processes are left: %v", left)
	}
}

// Run runs a verb of gardener and returns how it ended.
func (l *Landscape) Run(args ...string) Result { return l.exec(nil, l.Binary, args...) }

// Gardener runs a verb that must succeed and returns its output.
func (l *Landscape) Gardener(args ...string) string {
	l.t.Helper()
	r := l.Run(args...)
	if r.Code != 0 {
		l.t.Fatalf("gardener %s: exit code %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// Kubectl runs kubectl (the one in the binary) with a kubeconfig; it must succeed.
func (l *Landscape) Kubectl(kubeconfig string, args ...string) string {
	l.t.Helper()
	r := l.TryKubectl(kubeconfig, args...)
	if r.Code != 0 {
		l.t.Fatalf("kubectl %s: exit code %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// TryKubectl is Kubectl for commands that may fail.
func (l *Landscape) TryKubectl(kubeconfig string, args ...string) Result {
	return l.exec([]string{"KUBECONFIG=" + kubeconfig}, l.Binary, append([]string{"kubectl"}, args...)...)
}

// Garden and Seed are the kubeconfigs that up writes.
func (l *Landscape) Garden() string { return filepath.Join(l.StateDir, "kubeconfigs", "garden.yaml") }

// Seed is the kubeconfig of the runtime cluster.
func (l *Landscape) Seed() string { return filepath.Join(l.StateDir, "kubeconfigs", "seed.yaml") }

// Shoot writes a kubeconfig for a shoot and returns its file.
func (l *Landscape) Shoot(namespace, name string) string {
	l.t.Helper()
	file := filepath.Join(l.Dir, "shoot-"+name+".yaml")
	l.write(file, l.Gardener("kubeconfig", "shoot", namespace+"/"+name))
	return file
}

// File writes a file for commands to read and returns its path.
func (l *Landscape) File(name, content string) string {
	l.t.Helper()
	file := filepath.Join(l.Dir, name)
	l.write(file, content)
	return file
}

func (l *Landscape) write(file, content string) {
	l.t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		l.t.Fatal(err)
	}
	if l.User != nil {
		if err := os.Chown(file, int(l.User.Uid), int(l.User.Gid)); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *Landscape) exec(env []string, name string, args ...string) Result {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = l.Dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.Dir, "GARDENER_CONFIG=" + l.Config}, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	if l.User != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: l.User}
	}
	err := cmd.Run()
	result := Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatalf("run %s %s: %v\n%s%s", name, strings.Join(args, " "), err, result.Stdout, result.Stderr)
	}
	return result
}

// freeRanges finds address ranges whose node address nobody listens on. Even second octets are pods, odd ones services.
func freeRanges(t testing.TB) (pods, services string) {
	t.Helper()
	for n := 100 + os.Getpid()%10*2; n < 160; n += 2 {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.%d.0.1:10250", n))
		if err != nil {
			continue
		}
		_ = listener.Close()
		return fmt.Sprintf("127.%d.0.0/16", n), fmt.Sprintf("127.%d.0.0/16", n+1)
	}
	t.Fatal("no free address range below 127.0.0.0/8")
	return "", ""
}
