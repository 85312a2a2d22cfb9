package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/reading"
)

// waitDelay is how long an interrupted command may take to clean up. An interrupted up takes 30 s at most.
const waitDelay = 40 * time.Second

// Result is the result of a command.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Exec runs a verb of gardener. An error means that the command could not run or did not end before ctx. A failed
// command is a Result with an exit code other than 0.
func (l *Landscape) Exec(ctx context.Context, args ...string) (Result, error) {
	return l.exec(ctx, nil, args)
}

// ExecKubectl is Exec for kubectl (that of the binary) with a kubeconfig. Questions to API servers are answered without a process.
func (l *Landscape) ExecKubectl(ctx context.Context, kubeconfig string, args ...string) (Result, error) {
	if l.User == nil && !l.Apart && reading.Reads(args) {
		out, err := reading.Get(ctx, reading.Place{Kubeconfig: kubeconfig, Home: l.Dir, Env: l.env(fmt.Sprintf("DAEMON=%d", l.Daemon()))}, args)
		return Result(out), err
	}
	return l.exec(ctx, []string{"KUBECONFIG=" + kubeconfig}, append([]string{"kubectl"}, args...))
}

// Kubectl prepares kubectl (that of the binary) with a kubeconfig, for callers that need its streams.
func (l *Landscape) Kubectl(ctx context.Context, kubeconfig string, args ...string) *exec.Cmd {
	return l.command(ctx, []string{"KUBECONFIG=" + kubeconfig}, append([]string{"kubectl"}, args...))
}

// Command prepares a verb of gardener, for callers that need its streams.
func (l *Landscape) Command(ctx context.Context, args ...string) *exec.Cmd {
	return l.command(ctx, nil, args)
}

func (l *Landscape) command(ctx context.Context, env, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.Binary, args...)
	cmd.Dir = l.Dir
	cmd.Env = l.env(env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // up then stops the daemon that it has started
	cmd.WaitDelay = waitDelay
	if l.User != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: l.User}
	}
	return cmd
}

func (l *Landscape) env(more ...string) []string {
	return slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.Dir, "GARDENER_CONFIG=" + l.Config}, l.Env, more)
}

func (l *Landscape) exec(ctx context.Context, env, args []string) (Result, error) {
	cmd := l.command(ctx, env, args)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	result := Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if errors.As(err, &exit) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("run gardener %s: %w\n%s%s", strings.Join(args, " "), err, result.Stdout, result.Stderr)
	}
	return result, err
}

// Check returns an error for an unsuccessful result.
func (r Result) Check(what string) error {
	if r.Code == 0 {
		return nil
	}
	return fmt.Errorf("%s: exit code %d\n%s%s", what, r.Code, r.Stdout, r.Stderr)
}
