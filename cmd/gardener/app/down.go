package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/engine"
	"github.com/gardener-up/gardener-up/appliance/state"
)

func newDown(global *globalFlags) *cobra.Command {
	var (
		purge   bool
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use: "down",
		Example: `  gardener down
  gardener down --purge`,
		GroupID: "landscape", Args: cobra.NoArgs,
		Short: "Stop the landscape and keep its state (--purge removes it)",
		Long: `Stop the landscape. Its state is kept, and the next "gardener up" brings everything back.
--purge removes everything the landscape made on this machine, whatever condition it is in.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			stopped, err := stopDaemon(cmd.Context(), l, timeout, purge, out)
			if err != nil {
				return err
			}
			if !purge {
				if !stopped {
					fmt.Fprintf(out, "landscape %q is not running\n", l.Name)
				}
				return nil
			}
			if ignored := engine.Ignored(l.paths); ignored != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", ignored)
			}
			found, err := state.Purge(l.Landscape, l.paths)
			if err != nil {
				return &exitError{code: codeState, err: err, hint: "nothing outside the landscape's own files is ever removed"}
			}
			if found {
				fmt.Fprintf(out, "landscape %q is removed\n", l.Name)
			} else {
				fmt.Fprintf(out, "nothing to remove in %s\n", l.paths.Root())
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&purge, "purge", false, "remove everything the landscape made")
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "how long to wait until it has stopped")
	return cmd
}

// stopDaemon asks the daemon to stop and waits. If kill is true, it kills a daemon that does not react. It returns
// whether a daemon was running.
func stopDaemon(ctx context.Context, l *landscape, timeout time.Duration, kill bool, out io.Writer) (bool, error) {
	pid, err := daemon.Holder(l.paths.Lock())
	if err != nil {
		return false, &exitError{code: codeState, err: err}
	}
	if pid == 0 {
		return false, nil
	}
	begin := time.Now()
	askCtx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	if err := daemon.NewClient(l.paths.Socket()).Stop(askCtx); err != nil && pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGTERM) // it may not serve its socket yet, or hang
	}
	var released bool
	if !newLive(out).during("stopping", ctx.Done(), func() { released, err = daemon.WaitReleased(l.paths.Lock(), timeout) }) {
		return false, ctx.Err()
	}
	if err != nil {
		return false, &exitError{code: codeState, err: err}
	}
	if !released && kill && pid > 0 {
		fmt.Fprintf(os.Stderr, "process %d does not stop, killing it\n", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
		released, err = daemon.WaitReleased(l.paths.Lock(), 10*time.Second)
	}
	if err != nil || !released {
		return false, &exitError{code: codeTimeout, err: fmt.Errorf("landscape %q (process %d) has not stopped after %s", l.Name, pid, timeout),
			hint: fmt.Sprintf("the log is %s; \"gardener down --purge\" kills it", l.paths.Log())}
	}
	fmt.Fprintf(out, "landscape %q stopped in %.1f s\n", l.Name, time.Since(begin).Seconds())
	return true, nil
}
