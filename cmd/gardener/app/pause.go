package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/image"
)

func newPause(global *globalFlags) *cobra.Command {
	var how stopping
	cmd := &cobra.Command{
		Use: "pause", GroupID: "landscape", Args: needsNone,
		Short: "Pause the landscape: it costs nothing and comes back as it was",
		Long: `Pause the landscape. All of its processes end, and its containers are stopped. What is stored stays, and so do its ports, address ranges and
kubeconfigs. Commands say that it is paused. "gardener resume" brings everything back, and so does "gardener up".
Unlike a landscape that "gardener down" has stopped, it stays paused when the machine starts again, even if a service starts it then.`,
		Example: `  gardener pause
  gardener resume`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			return how.pause(cmd, l)
		},
	}
	cmd.Flags().BoolVar(&how.force, "force", false, "kill the landscape if it has not stopped after --timeout")
	cmd.Flags().DurationVar(&how.timeout, "timeout", time.Minute, "how long to wait until it has stopped")
	return cmd
}

// pause stops a landscape and notes that it is paused.
func (s stopping) pause(cmd *cobra.Command, l *landscape) error {
	out, begin := cmd.OutOrStdout(), time.Now()
	stopped, err := stopDaemon(cmd.Context(), l, s.timeout, s.force, io.Discard)
	if err != nil {
		return err
	}
	if _, paused := state.Paused(l.paths); paused && !stopped {
		l.display.tell(out, event{Object: "landscape " + l.Name, State: "paused already"}, fmt.Sprintf("landscape %q is paused already\n", l.Name))
		return nil
	}
	if !stopped {
		return l.notRunning()
	}
	if err := state.NotePaused(l.paths, state.NewPause(image.Version)); errors.Is(err, daemon.ErrRunning) {
		return &exitError{code: codeRunning, err: fmt.Errorf("landscape %q was started again by somebody else", l.Name), hint: `see "gardener status"`}
	} else if err != nil {
		return unreadable(err)
	}
	took := time.Since(begin)
	l.display.tell(out, event{Object: "landscape " + l.Name, State: "paused", Seconds: seconds(took)}, fmt.Sprintf("landscape %q paused in %.1f s\n", l.Name, took.Seconds()))
	return nil
}

func newResume(global *globalFlags) *cobra.Command {
	flags := &upFlags{resume: true}
	cmd := &cobra.Command{
		Use: "resume", GroupID: "landscape", Args: needsNone,
		Short: "Resume the landscape after a pause and wait until it is ready",
		Long: `Resume the landscape after a pause, or after "gardener down", and wait until it is ready. The control planes and nodes of its shoots start after that;
"gardener shoot wait" waits for one. Unlike "gardener up", it makes no new landscape. Without --landscape-config it takes the configuration of the last start.`,
		Example: `  gardener resume`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return start(cmd.Context(), global, flags, cmd, true)
		},
	}
	global.addFile(cmd)
	cmd.Flags().DurationVar(&flags.timeout, "timeout", 0, "how long to wait until the landscape is ready (default 5m, 15m for provider kind)")
	return cmd
}

// before looks at a landscape before a start. ends is true if it stays as it is. What is resumed is what it was: without a file, the
// configuration is that of the last start.
func (u *upFlags) before(global *globalFlags, l *landscape) (ends bool, _ error) {
	pause, paused := state.Paused(l.paths)
	if _, err := os.Stat(l.paths.Run().Config()); err == nil && (u.resume || u.stayPaused || paused) && global.file == "" {
		global.file = l.paths.Run().Config()
	}
	if u.stayPaused && paused {
		l.display.tell(os.Stdout, event{Object: "landscape " + l.Name, State: "paused"}, fmt.Sprintf("landscape %q is paused since %s; \"gardener resume\" resumes it\n", l.Name, pause.Since.Local().Format(time.DateTime)))
		notify("READY=1\nSTATUS=paused") // as a service that does not say so has failed
		return true, nil
	}
	if !u.resume {
		return false, nil
	}
	if _, err := os.Stat(l.paths.Store()); errors.Is(err, os.ErrNotExist) {
		return false, &exitError{code: codeNotFound, err: fmt.Errorf("there is no landscape %q", l.Name), hint: `see "gardener landscape list"; "gardener up" makes one`}
	}
	return false, nil
}
