package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endOfStep precedes the exit code of a command in the output of the shell.
const endOfStep = "\x00end of step "

// Shell is a bash that runs commands one after the other, so that a command sees the variables and folders of those before it.
type Shell struct {
	dir    string
	bash   *exec.Cmd
	input  io.WriteCloser
	output *bufio.Reader
}

// NewShell starts a shell in a folder, which must be closed.
func NewShell(dir string, env []string) (*Shell, error) {
	s := &Shell{dir: dir, bash: exec.Command("bash", "--noprofile", "--norc")}
	s.bash.Dir, s.bash.Env = dir, env
	s.bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if s.input, err = s.bash.StdinPipe(); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.bash.Stdout, s.bash.Stderr = write, write
	s.output = bufio.NewReader(read)
	err = s.bash.Start()
	return s, errors.Join(err, write.Close())
}

// Close ends the shell and what it runs.
func (s *Shell) Close() error {
	_ = s.input.Close()
	_ = syscall.Kill(-s.bash.Process.Pid, syscall.SIGKILL)
	_ = s.bash.Wait() // it was killed
	return nil
}

// Run runs a command and returns what it prints, on both outputs, and its exit code. The command gets no input. When the context ends, the
// shell is closed.
func (s *Shell) Run(ctx context.Context, command string) (output string, code int, err error) {
	script := filepath.Join(s.dir, ".step.sh")
	if err := os.WriteFile(script, []byte(command+"\n"), 0o600); err != nil {
		return "", 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if _, err := fmt.Fprintf(s.input, "source %q </dev/null; printf '\\n\\000%s%%d\\n' $?\n", script, endOfStep[1:]); err != nil {
		return "", 0, errors.Join(err, ctx.Err()) // it may be closed already
	}
	var text strings.Builder
	for {
		line, err := s.output.ReadString('\n')
		if rest, ended := strings.CutPrefix(line, endOfStep); ended {
			code, err := strconv.Atoi(strings.TrimSpace(rest))
			return text.String(), code, err
		}
		text.WriteString(line)
		if err != nil {
			return text.String(), 0, fmt.Errorf("the shell ended: %w", errors.Join(err, ctx.Err()))
		}
	}
}
