package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criclient "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"
)

// maxExecOutput is how much ExecSync keeps of each output. The rest is dropped.
const maxExecOutput = 16 << 20

// ExecSync runs a command in the container and returns its output. The error is a utilexec.CodeExitError if the
// command failed and wraps criclient.ErrCommandTimedOut if it took longer than timeout, as the kubelet's probes expect.
func (r *Runtime) ExecSync(ctx context.Context, id string, argv []string, timeout time.Duration) ([]byte, []byte, error) {
	if r.passesProbes(id) {
		return nil, nil, nil
	}
	c, err := r.ownProcess(id)
	if err != nil {
		return nil, nil, err
	}
	probe, err := r.config.probe(c, argv)
	if err != nil {
		return nil, nil, err
	}
	if probe != nil {
		said, err := r.makeProbe(ctx, c, probe, timeout)
		return []byte(said), nil, err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	stdout, stderr := &capped{}, &capped{}
	err = r.execIn(ctx, c, argv, nil, stdout, stderr)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, nil, fmt.Errorf("%w: %q after %s", criclient.ErrCommandTimedOut, strings.Join(argv, " "), timeout)
	}
	return stdout.Bytes(), stderr.Bytes(), err
}

// execIn runs a command in a container until it ends or ctx does. Nil streams are not connected.
func (r *Runtime) execIn(ctx context.Context, c *container, argv []string, in io.Reader, out, errOut io.Writer) error {
	if c.record.Sandboxed {
		code, err := r.config.Sandboxes.Exec(ctx, c.sandbox.record.ID, c.record.ID, argv, in, out, errOut)
		return exited(argv, code, err)
	}
	cmd, err := r.config.execCommand(c, argv)
	if err != nil {
		return err
	}
	return runWithPipes(ctx, cmd, in, out, errOut)
}

// execCommand prepares a command that users execute in a container, if they may.
func (c *Config) execCommand(of *container, argv []string) (*exec.Cmd, error) {
	if len(argv) == 0 {
		return nil, status.Error(codes.InvalidArgument, "exec without a command")
	}
	if !isBinary(argv[0]) {
		return nil, notFound(argv[0])
	}
	if !c.Executes(argv[1:]) {
		return nil, status.Errorf(codes.PermissionDenied, "container %s is a process of this machine: %q may not be executed in it", of.record.Name, strings.Join(argv, " "))
	}
	return c.command(of, argv)
}

// notFound is what a container runtime says of a program that the image lacks. Files in volumes are no programs here:
// they would run on the machine, outside of any container.
func notFound(program string) error {
	if strings.HasPrefix(program, "/") {
		return fmt.Errorf("exec: %q: stat %s: no such file or directory", program, program)
	}
	return fmt.Errorf("exec: %q: executable file not found in $PATH", program)
}

// runWithPipes runs cmd until it ends or, with its error, ctx does. Nil streams are not connected.
func runWithPipes(ctx context.Context, cmd *exec.Cmd, in io.Reader, out, errOut io.Writer) error {
	cmd.Stdout, cmd.Stderr = out, errOut
	if in != nil {
		stdin, err := cmd.StdinPipe() // copied here, so that a client that sends nothing does not delay the end
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(stdin, in)
			_ = stdin.Close()
		}()
	}
	p, err := startProcess(cmd)
	if err != nil {
		return err
	}
	return p.result(ctx, cmd.Args)
}

// result waits for the end of the process.
func (p *process) result(ctx context.Context, argv []string) error {
	select {
	case <-p.ended:
	case <-ctx.Done():
		p.killGroup()
		<-p.ended
		return ctx.Err()
	}
	return exited(argv, p.code, nil)
}

// exited is the error of a command that has ended; nil if it succeeded.
func exited(argv []string, code int, err error) error {
	if err != nil || code == 0 {
		return err
	}
	return utilexec.CodeExitError{Err: fmt.Errorf("command %q exited with %d", strings.Join(argv, " "), code), Code: code}
}

// capped keeps the first maxExecOutput bytes and drops the rest.
type capped struct{ bytes.Buffer }

func (c *capped) Write(data []byte) (int, error) {
	if room := maxExecOutput - c.Len(); room > 0 {
		c.Buffer.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}
