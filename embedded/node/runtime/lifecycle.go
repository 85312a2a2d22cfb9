package runtime

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// exitNotStarted is the exit code of a container that could not be started.
const exitNotStarted = 128

// StartContainer starts the container's process, task or sandboxed program, or only simulates it.
func (r *Runtime) StartContainer(ctx context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	if err := r.awaitBegin(ctx, c); err != nil {
		return err
	}
	r.mu.Lock()
	current, stopping := c.record.State, r.stopping
	r.mu.Unlock()
	if stopping {
		return errStopping
	}
	if current != stateCreated {
		return status.Errorf(codes.FailedPrecondition, "container %s is %s", id, current)
	}
	start := r.run
	switch {
	case c.record.Simulated:
		start = func(c *container) error { return r.simulate(ctx, c) }
	case c.record.Sandboxed:
		start = func(c *container) error { return r.runSandboxed(ctx, c) }
	}
	if err := start(c); err != nil {
		return r.notStarted(c, fmt.Errorf("start container %s of pod %s/%s: %w", c.record.Name, c.sandbox.record.Namespace, c.sandbox.record.Name, err))
	}
	r.notify(c.sandbox.record.PodUID)
	return nil
}

// awaitBegin waits until processes may start.
func (r *Runtime) awaitBegin(ctx context.Context, c *container) error {
	if r.config.Begin == nil || c.record.Simulated || c.record.Sandboxed {
		return nil
	}
	select {
	case <-r.config.Begin:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Runtime) run(c *container) error {
	argv, err := commandLine(c.record.Command, c.record.Args)
	if err != nil {
		return err
	}
	log, err := openLog(c.record.LogPath)
	if err != nil {
		return err
	}
	started, err := r.execute(c, placed(argv, c.rootfs(), c.record.Mounts), log)
	if err != nil {
		log.close()
		return err
	}
	return r.began(c, started, log)
}

// began records what has been started and waits for its end in the background.
func (r *Runtime) began(c *container, started execution, log *logFile) error {
	r.mu.Lock()
	c.execution, c.log, c.settled = started, log, make(chan struct{})
	c.record.State, c.record.StartedAt, c.record.Process = stateRunning, time.Now(), started.identify()
	err := c.save()
	r.mu.Unlock()
	go r.await(c, started)
	if err != nil { // an unrecorded process would be a duplicate after a crash
		started.kill()
	}
	return err
}

// execute starts a task if there is one for the command line, else a process.
func (r *Runtime) execute(c *container, argv []string, log *logFile) (execution, error) {
	cmd, err := r.config.command(c, argv)
	if err != nil {
		return nil, err
	}
	if do, args := r.config.taskFor(argv); do != nil {
		return startTask(do, TaskRun{Args: args, Dir: cmd.Dir, Env: cmd.Env, Log: log.stream("stderr")}), nil
	}
	cmd.Stdout, cmd.Stderr = log.stream("stdout"), log.stream("stderr")
	if c.record.Stdin {
		if c.stdin, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	p, err := startProcess(cmd)
	if err != nil {
		return nil, err // a typed nil would not be nil
	}
	if err := limit(p.PID, r.config.MemoryLimit(argv[1:]), c.record.OOMScore); err != nil && p.alive() {
		r.log.Error(err, "A process of a pod has no limit", "pod", c.sandbox.record.Name, "namespace", c.sandbox.record.Namespace, "container", c.record.Name)
	}
	return p, nil
}

// simulate marks the container as running or, if it ends at once, as exited, with one line of log.
func (r *Runtime) simulate(ctx context.Context, c *container) error {
	if err := c.record.Acting.delay(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	meanwhile := r.stopping || c.record.State != stateCreated || r.containers[c.record.ID] != c
	r.mu.Unlock()
	if meanwhile {
		return errStopped
	}
	log, err := openLog(c.record.LogPath)
	if err != nil {
		return err
	}
	fmt.Fprintf(log.stream("stdout"), "Image %s is simulated: nothing runs in container %s.%s\n", c.record.Image, c.record.Name, because(c))
	log.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	c.record.State, c.record.StartedAt = stateRunning, time.Now()
	if c.record.Acting.Ends && c.record.Acting.Runs == 0 {
		c.acted()
	} else {
		r.endLater(c)
	}
	return c.save()
}

func (r *Runtime) notStarted(c *container, cause error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.record.State == stateCreated {
		c.exited(exitNotStarted, "StartError")
		c.record.Message = cause.Error()
		_ = c.save() // after a crash it is reported as exited in any case
	}
	return cause
}

// await records the end of the process or task.
func (r *Runtime) await(c *container, ran execution) {
	<-ran.done()
	r.mu.Lock()
	end := ran.outcome()
	code, reason, message := end.code, end.because(), end.message
	if r.stopping { // it ended for the node's sake, so it must not count as completed
		code, reason = exitKilled, "NodeShutdown"
	}
	c.exited(code, reason)
	c.record.Message = message
	c.execution = nil
	c.log.close()
	c.log = nil
	if c.stdin != nil {
		_ = c.stdin.Close()
		c.stdin = nil
	}
	err := c.save()
	close(c.settled)
	r.mu.Unlock()
	if message != "" {
		r.log.Info("Container has ended", "container", c.record.Name, "pod", c.sandbox.record.Name, "exitCode", code, "reason", message)
	}
	if err != nil {
		r.log.Error(err, "Cannot record the end of a container", "container", c.record.Name, "pod", c.sandbox.record.Name)
	}
	r.notify(c.sandbox.record.PodUID)
}

// exited records the end. The caller must hold Runtime.mu.
func (c *container) exited(code int, reason string) {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.record.State, c.record.FinishedAt = stateExited, time.Now()
	if c.record.StartedAt.IsZero() { // the kubelet shows it in any case
		c.record.StartedAt = c.record.FinishedAt
	}
	c.record.ExitCode, c.record.Reason = code, reason
	c.record.Process = identity{}
}

// StopContainer asks the process group to end and kills it after timeout seconds. It returns when the container has
// ended. Stopping a container that has ended or does not exist is fine.
func (r *Runtime) StopContainer(ctx context.Context, id string, timeout int64) error {
	c, err := r.container(id)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	ran, settled := c.execution, c.settled
	if ran == nil && c.record.State != stateExited {
		defer r.notify(c.sandbox.record.PodUID)
		defer r.mu.Unlock()
		c.exited(0, "Completed") // simulated, or never started
		return c.save()
	}
	r.mu.Unlock()
	if ran == nil {
		return nil
	}
	if err := ran.stop(ctx, time.Duration(timeout)*time.Second); err != nil {
		return fmt.Errorf("stop container %s: %w", id, err)
	}
	<-settled // recorded by await right after
	return nil
}

// stop returns once the process has ended or, with an error, when ctx has.
func (p *process) stop(ctx context.Context, grace time.Duration) error {
	if grace > 0 {
		p.terminate()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	if p.alive() {
		p.killGroup()
	}
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
