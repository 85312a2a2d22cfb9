package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/preflight"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/self"
)

func spawn(l *landscape, how way, users preflight.Users, lock *daemon.Lock, timeout time.Duration, detached bool) (*exec.Cmd, <-chan error, error) {
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
		"--" + containersFlag + "=" + l.decision.Containers, "--" + simulatedFlag + "=" + l.decision.Reason, "--" + oneUserFlag + "=" + users.Reason},
		Detached: detached, Bare: how.containers, Lock: lock, Users: users.Mapping}
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
