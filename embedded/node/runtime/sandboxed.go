package runtime

import (
	"context"
	"time"

	"github.com/gardener-up/gardener-up/embedded/node/sandboxed"
)

// sandboxedRun is a container that runs in a sandbox.
type sandboxedRun struct{ *sandboxed.Run }

var _ execution = sandboxedRun{}

// runSandboxed starts a container in the sandbox of its pod.
func (r *Runtime) runSandboxed(ctx context.Context, c *container) error {
	log, err := openLog(c.record.LogPath)
	if err != nil {
		return err
	}
	run, stdin, err := r.config.Sandboxes.Start(ctx, c.sandbox.record.ID, c.record.ID, log.stream("stdout"), log.stream("stderr"), c.record.Stdin)
	if err != nil {
		log.close()
		return err
	}
	r.mu.Lock()
	c.stdin = stdin
	r.mu.Unlock()
	return r.began(c, sandboxedRun{run}, log)
}

// identify names no process: everything in a sandbox ends with this process.
func (s sandboxedRun) identify() identity                                  { return identity{} }
func (s sandboxedRun) done() <-chan struct{}                               { return s.Ended() }
func (s sandboxedRun) kill()                                               { s.Kill() }
func (s sandboxedRun) stop(ctx context.Context, grace time.Duration) error { return s.Stop(ctx, grace) }

// reasonOutOfMemory is what container runtimes say, and what the kubelet counts.
const reasonOutOfMemory = "OOMKilled"

func (s sandboxedRun) outcome() outcome {
	if s.OutOfMemory() {
		return outcome{code: s.Code(), reason: reasonOutOfMemory, message: "the pod took more memory than it or its node may have"}
	}
	return outcome{code: s.Code()}
}
