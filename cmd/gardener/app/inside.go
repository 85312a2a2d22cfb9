package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/preflight"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/embedded/userns"
)

// removeVerb is the hidden verb that removerInside starts.
const removeVerb = "remove"

// newRemove makes the hidden verb that removes directories. A purge starts it where users of containers exist, whose files an ordinary user cannot remove.
func newRemove() *cobra.Command {
	return &cobra.Command{
		Use: removeVerb, Hidden: true, Args: cobra.MinimumNArgs(1), Short: "Remove directories with files of users in containers (started by down)",
		RunE: func(_ *cobra.Command, dirs []string) error {
			var errs []error
			for _, dir := range dirs {
				errs = append(errs, state.RemoveAll(dir))
			}
			return cured(errors.Join(errs...), "remove the files as root")
		},
	}
}

// removerInside removes a directory in a user namespace with the subordinate IDs of this user. It is nil for root, who may remove everything.
func removerInside(ctx context.Context) func(dir string) error {
	if os.Geteuid() == 0 {
		return nil
	}
	return func(dir string) error {
		var said bytes.Buffer
		cmd, err := inside(ctx, &said, removeVerb, "--", dir)
		if err == nil {
			err = cmd.Wait()
		}
		if err != nil {
			return fmt.Errorf("%s has files of users in containers, which belong to subordinate IDs of this user: %w %s", dir, err, strings.TrimSpace(said.String()))
		}
		return nil
	}
}

// answered is the end of a command that another process has run, which has also printed its errors.
type answered struct{ code int }

func (a *answered) Error() string { return fmt.Sprintf("exit code %d", a.code) }

// hasUsers reports whether volumes of the landscape have files of users in containers, as far as its store can be read.
func hasUsers(p paths.Paths) bool {
	former, err := preflight.FormerUsers(p)
	return err == nil && former != ""
}

// again runs this command in the namespace in which files of all users of containers can be read and made, unless this process may do that. ran is false if the
// command has to run in this process. Where the namespace cannot be made, that is so, too: it reads what it can.
func (d *display) again(ctx context.Context) (ran bool, err error) {
	if os.Geteuid() == 0 || d.args == nil {
		return false, nil
	}
	cmd, err := inside(ctx, nil, d.args...)
	if err != nil {
		return false, nil
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() < 0 {
		return true, err
	}
	if code := cmd.ProcessState.ExitCode(); code != codeOK {
		return true, &answered{code}
	}
	return true, nil
}

// inside starts this program with other arguments, as root of a namespace with the subordinate IDs of this user. output gets what it prints; if it is nil, the
// program has the streams of this process.
func inside(ctx context.Context, output io.Writer, args ...string) (*exec.Cmd, error) {
	users, err := userns.Find()
	if err != nil {
		return nil, err
	}
	executable, err := self.Path()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, executable, args...)
	cmd.Stdout, cmd.Stderr = output, output
	if output == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd, users.Start(cmd)
}
