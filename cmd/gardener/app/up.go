package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/preflight"
)

func newUp(global *globalFlags) *cobra.Command {
	flags := &upFlags{}
	cmd := &cobra.Command{
		Use: "up",
		Example: `  gardener up
  gardener up -f landscape.yaml
  gardener up --provider kind
  gardener up --landscape second`,
		GroupID: "landscape", Args: needsNone,
		Aliases: []string{"start"},
		Short:   "Start the landscape in the background and wait until it is ready",
		Long: `Start the landscape in the background and wait until it is ready. If it runs already, wait until it is ready.
A landscape that ran before, or is paused, comes back with everything in it. A new one gets a port and address ranges that no other has, so that
several landscapes run side by side; give each a name with --landscape.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return start(cmd.Context(), global, flags, cmd, true)
		},
	}
	global.addFile(cmd)
	flags.add(cmd)
	flags.addReplace(cmd)
	return cmd
}

func newRun(global *globalFlags) *cobra.Command {
	flags := &upFlags{}
	cmd := &cobra.Command{
		Use:     "run",
		Example: `  gardener run`,
		GroupID: "landscape", Args: needsNone,
		Short: "Run the landscape in the foreground, for service managers and debugging",
		Long: `Run the landscape in the foreground until it is interrupted. Progress goes to standard output. Logs go to standard error
instead of the log file.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			notifySocket()
			return start(cmd.Context(), global, flags, cmd, false)
		},
	}
	global.addFile(cmd)
	flags.add(cmd)
	flags.addReplace(cmd)
	cmd.Flags().BoolVar(&flags.stayPaused, "stay-paused", false, `for service managers: take the configuration of the last start, unless there is --landscape-config; if the landscape is paused, say so and end`)
	return cmd
}

// start starts the process of the landscape and shows its progress. If detached, it returns when the landscape is
// ready.
func start(ctx context.Context, global *globalFlags, flags *upFlags, cmd *cobra.Command, detached bool) error {
	asked, err := global.load(flags.override(cmd))
	if err != nil {
		return err
	}
	if ends, err := flags.before(global, asked); ends || err != nil {
		return err
	}
	show := newProgress(global.display, os.Stdout)
	begin := time.Now()
	endTurn := func() {}
	defer func() { endTurn() }()
	load := func() (*landscape, error) { return global.loadAgain(flags.override(cmd)) }
	l, lock, err := occupy(asked.paths, func() (*landscape, error) {
		end, err := neighbours.Turn(ctx)
		if err != nil {
			return nil, err
		}
		endTurn = sync.OnceFunc(end)
		return load()
	})
	if detached && errors.Is(err, daemon.ErrRunning) {
		if l, err = load(); err != nil {
			return err
		}
		defer l.release()
		if len(flags.replace) > 0 {
			return &exitError{code: codeRunning, err: fmt.Errorf("landscape %q runs: --replace-seed is for a start", l.Name), hint: `stop it with "gardener down"`}
		}
		return join(ctx, l, show, cmp.Or(flags.timeout, wayOf(l.Seed).timeout), cmd.ErrOrStderr())
	}
	if err != nil {
		return explainStart(asked, err)
	}
	defer l.release()
	release := sync.OnceValue(lock.Release)
	defer release()
	how := wayOf(l.Seed)
	if flags.timeout == 0 {
		flags.timeout = how.timeout
	}
	if how.containers {
		engine, err := examineEngine(ctx, l, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		show.chosen("container engine", engine)
	}
	users, err := preflight.FindUsers(l.decision, l.paths)
	if err != nil {
		return unreadable(err)
	}
	warn(cmd.ErrOrStderr(), l.display, append(preflight.Warnings(l.Landscape), preflight.Simulated(l.decision), users.Lost()))
	show.done("preflight", time.Since(begin))
	if err := replaceSeeds(l, flags.replace); err != nil { // late, since it stays allowed if the start ends before the cluster is made
		return err
	}

	child, ended, err := spawn(l, how, users, lock, flags.timeout, detached)
	endTurn()
	if err = errors.Join(err, release()); err != nil { // the child has the lock
		return cured(err, `check this machine with "gardener doctor"`)
	}
	if detached {
		return waitUp(ctx, l, child, ended, show, flags.timeout)
	}
	return foreground(ctx, l, child, ended, show, flags.timeout)
}

// way is how a landscape starts.
type way struct {
	timeout    time.Duration // unless the user names one
	containers bool          // the seed is made of containers: the engine is looked at before, and the daemon shares its mounts
}

func wayOf(seed config.Seed) way {
	if seed.Kind() {
		return way{timeout: 15 * time.Minute, containers: true}
	}
	return way{timeout: 5 * time.Minute}
}
