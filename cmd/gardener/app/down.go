package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/mergedkubeconfigs"
	"github.com/gardener-up/gardener-up/appliance/state"
)

func newDown(global *globalFlags) *cobra.Command {
	var (
		how stopping
		all bool
	)
	cmd := &cobra.Command{
		Use: "down", Aliases: []string{"stop"},
		Example: `  gardener down
  gardener down --all
  gardener down --purge --yes`,
		GroupID: "landscape", Args: needsNone,
		Short: "Stop the landscape and keep its state (--purge removes it)",
		Long: `Stop the landscape. Its state is kept, and the next "gardener up" brings everything back.
--force kills a landscape that does not stop in time. What is stored survives that, too.
--purge removes everything the landscape made on this machine, whatever condition it is in. It also removes the clusters of the landscape from files
into which "gardener kubeconfig --merge" has put them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			down := func(l *landscape) error { return how.down(cmd, l) }
			if all {
				return everyLandscape(global, cmd.OutOrStdout(), down)
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			return down(l)
		},
	}
	cmd.Flags().BoolVar(&how.purge, "purge", false, "remove everything the landscape made")
	cmd.Flags().BoolVar(&how.force, "force", false, "kill the landscape if it has not stopped after --timeout")
	cmd.Flags().BoolVar(&how.yes, "yes", false, "confirm --purge; without it the command asks on a terminal, and refuses elsewhere")
	cmd.Flags().BoolVar(&all, "all", false, `stop all landscapes that "gardener landscape list" shows`)
	cmd.Flags().DurationVar(&how.timeout, "timeout", time.Minute, "how long to wait until it has stopped")
	return cmd
}

// stopping is how "gardener down" stops a landscape.
type stopping struct {
	purge, force, yes bool
	timeout           time.Duration
}

func (s stopping) down(cmd *cobra.Command, l *landscape) error {
	if s.purge {
		if err := s.confirm(cmd, l); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	stopped, err := stopDaemon(cmd.Context(), l, s.timeout, s.purge || s.force, out)
	if err != nil {
		return err
	}
	if s.purge {
		return purge(cmd, l)
	}
	paused, err := state.ForgetPaused(l.paths)
	if err != nil {
		return err
	}
	if paused {
		l.display.tell(out, event{Object: "landscape " + l.Name, State: "stopped"}, fmt.Sprintf("landscape %q was paused and is stopped now\n", l.Name))
	} else if !stopped {
		l.display.tell(out, event{Object: "landscape " + l.Name, State: "not running"}, fmt.Sprintf("landscape %q is not running\n", l.Name))
	}
	return nil
}

// confirm asks before anything is lost. A directory that does not exist holds nothing.
func (s stopping) confirm(cmd *cobra.Command, l *landscape) error {
	if _, err := os.Stat(l.paths.Root()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return confirm(cmd, s.yes, fmt.Sprintf("purging landscape %q destroys all its shoots and their data", l.Name))
}

func purge(cmd *cobra.Command, l *landscape) error {
	if ignored := engine.Ignored(l.paths); ignored != "" {
		l.display.warn(cmd.ErrOrStderr(), ignored)
	}
	merged, unread := mergedkubeconfigs.Read(l.paths.MergedKubeconfigs())
	found, err := state.Purge(l.Landscape, l.paths, removerInside(cmd.Context()))
	if err != nil {
		return &exitError{code: codeState, err: err, hint: "remove or move what the message names, if it is yours, then try again: a purge removes only what the landscape has made"}
	}
	changed, err := merged.Undo()
	for _, file := range changed {
		l.display.tell(cmd.OutOrStdout(), event{Object: "file " + file, State: "clusters removed"}, fmt.Sprintf("the clusters of landscape %q are removed from %s\n", l.Name, file))
	}
	if err := errors.Join(unread, err); err != nil {
		l.display.warn(cmd.ErrOrStderr(), fmt.Sprintf("merged kubeconfigs stay where they are: %v", err))
	}
	if warning := l.warnService(cmd.Context()); warning != "" {
		l.display.warn(cmd.ErrOrStderr(), warning)
	}
	if found {
		l.display.tell(cmd.OutOrStdout(), event{Object: "landscape " + l.Name, State: "removed"}, fmt.Sprintf("landscape %q is removed\n", l.Name))
	} else {
		l.display.tell(cmd.OutOrStdout(), event{Object: "landscape " + l.Name, State: "removed"}, fmt.Sprintf("nothing to remove in %s\n", l.paths.Root()))
	}
	return nil
}

// stopTimeout is how long a daemon may take to answer that it stops. After that it gets a signal.
const stopTimeout = 5 * time.Second

// stopDaemon asks the daemon to stop and waits. If kill is true, it kills a daemon that does not react. It returns
// whether a daemon was running.
func stopDaemon(ctx context.Context, l *landscape, timeout time.Duration, kill bool, out io.Writer) (bool, error) {
	pid, err := daemon.Holder(l.paths.Lock())
	if err != nil {
		return false, unreadable(err)
	}
	if pid == 0 {
		return false, nil
	}
	begin := time.Now()
	askCtx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if err := daemon.NewClient(l.paths.Run().Socket()).Stop(askCtx); err != nil && pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGTERM) // it may not serve its socket yet, or hang
	}
	var released bool
	if !newLive(l.display, out).during("stopping", ctx.Done(), func() { released, err = daemon.WaitReleased(l.paths.Lock(), timeout) }) {
		return false, &exitError{code: codeInterrupted, err: ctx.Err(), hint: "the landscape goes on stopping; the same command waits for it again"}
	}
	if err != nil {
		return false, unreadable(err)
	}
	if !released && kill && pid > 0 {
		l.display.warn(os.Stderr, fmt.Sprintf("process %d does not stop, killing it", pid))
		_ = syscall.Kill(pid, syscall.SIGKILL)
		released, err = daemon.WaitReleased(l.paths.Lock(), 10*time.Second)
	}
	if err != nil || !released {
		return false, &exitError{code: codeTimeout, err: fault.New(fault.NoStop, fmt.Errorf("landscape %q (process %d) has not stopped after %s", l.Name, pid, timeout)),
			hint: fmt.Sprintf("the log is %s; \"gardener down --force\" kills the landscape, and what is stored survives", l.paths.Logs().Current())}
	}
	took := time.Since(begin)
	l.display.tell(out, event{Object: "landscape " + l.Name, State: "stopped", Seconds: seconds(took)}, fmt.Sprintf("landscape %q stopped in %.1f s\n", l.Name, took.Seconds()))
	return true, nil
}
