package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	"github.com/gardener-up/gardener-up/appliance/preflight"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/self"
)

// upFlags are the settings of up and run that override the configuration file.
type upFlags struct {
	port      int32
	seed      string
	provider  string
	nodeImage string
	bundle    string
	bundleKey string
	timeout   time.Duration
	// replace are seeds on kind whose clusters may be made once more.
	replace []string
	// resume refuses to make a new landscape.
	resume bool
	// stayPaused leaves a landscape that is paused as it is.
	stayPaused bool
}

func (u *upFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int32Var(&u.port, "port", 0, fmt.Sprintf("port of the front door; with 0 the system chooses a free port at the first start (default: that of the existing landscape, or the first free of %d, %d, …)",
		config.DefaultFrontDoorPort, config.DefaultFrontDoorPort+neighbours.PortStep))
	f.StringVar(&u.seed, "seed", "", `name of the seed (default "local")`)
	f.StringVar(&u.provider, "provider", "", `provider of the nodes of seed and shoots: "embedded" (processes) or "kind" (containers) (default: that of the existing landscape, or "embedded")`)
	f.StringVar(&u.nodeImage, "node-image", "", `node image, only for provider kind (default "`+config.DefaultNodeImage+`")`)
	f.StringVar(&u.bundle, "bundle", "", `bundle whose images are loaded before containers need them, see "gardener bundle create"`)
	f.StringVar(&u.bundleKey, "bundle-key", "", "file with the public key of whoever made the bundle")
	_ = cmd.MarkFlagFilename("bundle")
	_ = cmd.MarkFlagFilename("bundle-key")
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions([]string{config.ProviderEmbedded, config.ProviderKind}, cobra.ShellCompDirectiveNoFileComp))
	f.DurationVar(&u.timeout, "timeout", 0, "how long to wait until the landscape is ready (default 5m, 15m for provider kind)")
}

func (u *upFlags) override(cmd *cobra.Command) func(*config.Landscape) {
	return func(l *config.Landscape) {
		if cmd.Flags().Changed("port") {
			l.FrontDoor.Port = &u.port
		}
		if u.seed != "" {
			l.Seed.Name = u.seed
		}
		if u.provider != "" {
			l.Seed.Provider = u.provider
		}
		if u.nodeImage != "" {
			l.Seed.NodeImage = u.nodeImage
		}
		if u.bundle != "" {
			l.Bundle.File = absolute(u.bundle)
		}
		if u.bundleKey != "" {
			l.Bundle.KeyFile = absolute(u.bundleKey)
		}
	}
}

func newUp(global *globalFlags) *cobra.Command {
	flags := &upFlags{}
	cmd := &cobra.Command{
		Use: "up",
		Example: `  gardener up
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
	warn(cmd.ErrOrStderr(), append(preflight.Warnings(l.Landscape), preflight.Simulated(l.decision)))
	show.done("preflight", time.Since(begin))
	if err := replaceSeeds(l, flags.replace); err != nil { // late, since it stays allowed if the start ends before the cluster is made
		return err
	}

	child, ended, err := spawn(l, how, lock, flags.timeout, detached)
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

func spawn(l *landscape, how way, lock *daemon.Lock, timeout time.Duration, detached bool) (*exec.Cmd, <-chan error, error) {
	if err := l.paths.Create(); err != nil {
		return nil, nil, err
	}
	file, err := state.SaveConfig(l.Landscape, l.paths)
	if err != nil {
		return nil, nil, err
	}
	executable, err := self.Path()
	if err != nil {
		return nil, nil, err
	}
	if err := state.Log(l.Landscape, l.paths).Restart(l.paths.Logs().Previous()); err != nil {
		return nil, nil, err
	}
	order := daemon.Child{Executable: executable, Args: []string{"daemon", "--landscape-config=" + file, "--state-dir=" + l.paths.Root(), fmt.Sprintf("--%s=%s", startTimeoutFlag, timeout),
		"--" + containersFlag + "=" + l.decision.Containers, "--" + simulatedFlag + "=" + l.decision.Reason},
		Detached: detached, Bare: how.containers, Lock: lock}
	if detached {
		order.LogFile = l.paths.Logs().Current()
	}
	child, err := daemon.Spawn(order)
	if err != nil {
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	return child, ended, nil
}

// waitUp shows progress until the landscape is ready. It stops a daemon that does not become ready in time.
func waitUp(ctx context.Context, l *landscape, child *exec.Cmd, ended <-chan error, show *progress, timeout time.Duration) error {
	report, err := watchUntilReady(ctx, l, ended, show, timeout)
	if err != nil {
		if child.ProcessState == nil {
			_ = child.Process.Signal(syscall.SIGTERM)
			newLive(l.display, os.Stdout).during("stopping what was started", nil, func() { _, _ = daemon.WaitReleased(l.paths.Lock(), 30*time.Second) })
		}
		return err
	}
	printReady(os.Stdout, l, report)
	return nil
}

// foreground waits for the child and passes signals on to it.
func foreground(interrupted context.Context, l *landscape, child *exec.Cmd, ended <-chan error, show *progress, timeout time.Duration) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan error, 1)
	childEnded := make(chan error, 2)
	go func() {
		report, err := watchUntilReady(ctx, l, childEnded, show, timeout)
		if err == nil {
			notify("READY=1")
			printReady(os.Stdout, l, report)
		}
		result <- err
	}()
	asked, interruption := false, interrupted.Done() // which may be older than signals
	for {
		select {
		case <-interruption:
			asked, interruption = true, nil
			_ = child.Process.Signal(syscall.SIGTERM)
		case s := <-signals:
			asked = true
			_ = child.Process.Signal(s)
		case err := <-result:
			result = nil
			if err != nil && !asked {
				_ = child.Process.Signal(syscall.SIGTERM)
				<-ended
				return err
			}
		case err := <-ended:
			childEnded <- err
			if asked || err == nil {
				return nil
			}
			if result != nil {
				return <-result
			}
			return failure(l, err)
		}
	}
}

// watchUntilReady follows the daemon's reports until the landscape is ready, the daemon has ended or the timeout is
// reached.
func watchUntilReady(ctx context.Context, l *landscape, ended <-chan error, show *progress, timeout time.Duration) (*daemon.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer show.live.clear()
	reports := make(chan *daemon.Report)
	go follow(ctx, l, reports)
	var last *daemon.Report
	redraw := time.NewTicker(100 * time.Millisecond)
	defer redraw.Stop()
	for {
		select {
		case last = <-reports:
			show.show(last.Parts)
			if last.ReadyAfter != 0 {
				return last, nil
			}
		case <-redraw.C:
			if last != nil {
				show.drawLive(last.Parts)
			}
		case err := <-ended:
			return nil, failure(l, err)
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, ctx.Err()
			}
			err := fmt.Errorf("landscape %q is not ready after %s", l.Name, timeout)
			if last != nil {
				err = fmt.Errorf("%w; waiting for %s", err, pending(last.Parts))
			}
			return nil, &exitError{code: codeTimeout, err: err, hint: "see the log " + l.paths.Logs().Current()}
		}
	}
}

// follow sends reports until ctx ends. It retries, because the socket may not exist yet.
func follow(ctx context.Context, l *landscape, reports chan<- *daemon.Report) {
	client := daemon.NewClient(l.paths.Run().Socket())
	for ctx.Err() == nil {
		_ = client.Watch(ctx, func(r *daemon.Report) bool {
			select {
			case reports <- r:
				return true
			case <-ctx.Done():
				return false
			}
		})
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// failure explains why a daemon ended before the landscape was ready.
func failure(l *landscape, ended error) error {
	cause := state.LastFailure(l.paths)
	if cause == nil && (ended == nil || stoppedEarly(ended)) {
		return &exitError{code: codeFailure, err: fmt.Errorf("landscape %q was stopped while it started", l.Name), hint: `start it again with "gardener up"`}
	}
	if cause == nil {
		cause = fmt.Errorf("the landscape's process ended: %w%s", ended, lastError(l.paths.Logs().Current()))
	}
	return explainStart(l, cause)
}

// stoppedEarly recognises a process that was asked to end before it could react.
func stoppedEarly(ended error) bool {
	exit, ok := errors.AsType[*exec.ExitError](ended)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGTERM
}

// explainStart chooses the exit code and the hint for an error of preflight or of the daemon.
func explainStart(l *landscape, err error) error {
	var inUse *state.InUseError
	loss, isLoss := ledger.Lost(err)
	coded, isCoded := errors.AsType[*exitError](err)
	switch {
	case isCoded:
		return coded
	case isLoss:
		// What keeps clusters running tells the cure in its text, since a status has no hint.
		text := strings.ReplaceAll(err.Error(), " ("+loss.Cure+")", "")
		return &exitError{code: codeState, err: fault.New(fault.Lost, errors.New(text)), hint: loss.Cure}
	case errors.Is(err, daemon.ErrRunning):
		return &exitError{code: codeRunning, err: fmt.Errorf("landscape %q: %w", l.Name, err), hint: `see "gardener status"; stop it with "gardener down"`}
	case errors.As(err, &inUse):
		return &exitError{code: codeInUse, err: err, hint: inUse.Hint()}
	case errors.Is(err, state.ErrNewer):
		return &exitError{code: codeState, err: err, hint: hintNewer(state.WayBack(l.paths))}
	case fault.Of(err) == fault.Path:
		return &exitError{code: codeState, err: err, hint: "choose a directory with another name by --state-dir"}
	case errors.Is(err, state.ErrDirectory):
		return &exitError{code: codeState, err: err, hint: `choose another --state-dir, or remove this landscape with "gardener down --purge"`}
	}
	return &exitError{code: codeFailure, err: err, hint: fmt.Sprintf("the log is %s; try %q", l.paths.Logs().Current(), "gardener logs")}
}

// hintNewer says what to do with a state that a newer binary has used. wayBack is the command that goes back to a copy of it,
// or empty if no copy suits this binary.
func hintNewer(wayBack string) string {
	const hint = "start the landscape with that newer binary"
	if wayBack == "" {
		return hint
	}
	return hint + ". Or go back to the copy from before the upgrade, which loses every later change of the landscape. Then run this command first:\n" + wayBack
}
