package sandboxed

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// Exec runs a command in a container until it ends or, after killing it, ctx does. It returns the exit code. Nil streams are not connected.
func (h *Host) Exec(ctx context.Context, sandboxID, id string, argv []string, in io.Reader, out, errOut io.Writer) (int, error) {
	running, err := h.running(sandboxID)
	if err != nil {
		return 0, err
	}
	var streams pod.Streams
	var reading sync.WaitGroup
	closeAll := func() {
		for _, file := range streams {
			if file != nil {
				_ = file.Close()
			}
		}
	}
	for i, writer := range []io.Writer{1: out, 2: errOut} {
		if writer == nil {
			continue
		}
		end, other, err := os.Pipe()
		if err != nil {
			closeAll()
			return 0, err
		}
		streams[i] = other
		reading.Go(func() {
			defer end.Close()
			_, _ = io.Copy(writer, end)
		})
	}
	if in != nil {
		reader, input, err := os.Pipe()
		if err != nil {
			closeAll()
			return 0, err
		}
		streams[0] = reader
		go func() { // ends when the client closes its input or, with an error, when the command has ended
			_, _ = io.Copy(input, in)
			_ = input.Close()
		}()
	}
	code, err := running.Exec(ctx, id, pod.Command{Args: argv}, streams)
	closeAll()
	reading.Wait()
	return code, err
}

// ExecInTerminal runs a command whose standard streams are the terminal device.
func (h *Host) ExecInTerminal(ctx context.Context, sandboxID, id string, argv []string, device *os.File) (int, error) {
	running, err := h.running(sandboxID)
	if err != nil {
		return 0, err
	}
	return running.Exec(ctx, id, pod.Command{Args: argv, Terminal: true}, pod.Streams{device, device, device})
}
