package sandboxed

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// exitKilled is the exit code of a container that ended with its sandbox.
const exitKilled = 128 + int(syscall.SIGKILL)

// Output reads an output of a container until it ends.
type Output interface {
	ReadFrom(io.Reader) (int64, error)
}

// Run is a container that runs.
type Run struct {
	pod *pod.Pod
	id  string

	ended       chan struct{}
	code        int  // valid after ended
	outOfMemory bool // likewise
}

// Start starts a container that was created. Its outputs go to stdout and stderr. stdin, if it is wanted, is the input of the container.
func (h *Host) Start(ctx context.Context, sandboxID, id string, stdout, stderr Output, withInput bool) (run *Run, stdin io.WriteCloser, err error) {
	running, err := h.running(sandboxID)
	if err != nil {
		return nil, nil, err
	}
	var streams pod.Streams
	defer func() {
		for _, file := range streams {
			if file != nil {
				_ = file.Close()
			}
		}
	}()
	var reading sync.WaitGroup
	for i, output := range []Output{1: stdout, 2: stderr} {
		if output == nil {
			continue
		}
		reader, writer, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		streams[i] = writer
		reading.Go(func() {
			defer reader.Close()
			_, _ = output.ReadFrom(reader)
		})
	}
	if withInput {
		if streams[0], stdin, err = inputPipe(); err != nil {
			return nil, nil, err
		}
	}
	if err := running.StartContainer(ctx, id, streams); err != nil {
		return nil, nil, err
	}
	run = &Run{pod: running, id: id, ended: make(chan struct{})}
	go run.await(&reading)
	return run, stdin, nil
}

func inputPipe() (reader *os.File, writer io.WriteCloser, err error) {
	reader, input, err := os.Pipe()
	return reader, input, err
}

// await waits for the end of the container and of its outputs.
func (r *Run) await(reading *sync.WaitGroup) {
	code, err := r.pod.Wait(context.Background(), r.id) // ends with the sandbox
	if err != nil {
		code = exitKilled
	}
	if r.pod.OutOfMemory() {
		r.pod.EndOutOfMemory() // of which the kernel has ended one process at least
		if code != 0 {
			code, r.outOfMemory = exitKilled, true
		}
	}
	r.code = code
	reading.Wait()
	close(r.ended)
}

// Ended is closed when the container has ended and its output was read.
func (r *Run) Ended() <-chan struct{} { return r.ended }

// Code is the exit code, valid after Ended.
func (r *Run) Code() int { return r.code }

// OutOfMemory reports whether the container ended because its pod had too much memory, valid after Ended.
func (r *Run) OutOfMemory() bool { return r.outOfMemory }

// Kill kills all processes of the container and does not wait.
func (r *Run) Kill() {
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	go func() {
		defer cancel()
		_ = r.pod.Signal(ctx, r.id, syscall.SIGKILL, true)
	}()
}

// killTimeout bounds a request to gVisor, which takes milliseconds.
const killTimeout = 10 * time.Second

// Stop sends SIGTERM and, after the grace period, SIGKILL. It returns when the container has ended or, with an error, when
// ctx has.
func (r *Run) Stop(ctx context.Context, grace time.Duration) error {
	if grace > 0 {
		if err := r.pod.Signal(ctx, r.id, syscall.SIGTERM, false); err != nil && !r.hasEnded() {
			return errors.Join(err, ctx.Err())
		}
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-r.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
	if err := r.pod.Signal(ctx, r.id, syscall.SIGKILL, true); err != nil && !r.hasEnded() {
		return err
	}
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Run) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	case <-time.After(time.Second): // gVisor says so a moment earlier
		return false
	}
}
