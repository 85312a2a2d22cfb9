package containers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Names of the engines.
const (
	Docker  = "docker"
	Nerdctl = "nerdctl"
	Podman  = "podman"
)

const (
	// infoTimeout bounds the check whether an engine answers. A podman machine needs seconds to wake up.
	infoTimeout = 20 * time.Second
	// callTimeout bounds calls that make or remove things, unless their context ends earlier.
	callTimeout = 2 * time.Minute
	// transferTimeout bounds calls that move images and files.
	transferTimeout = 15 * time.Minute
	// killDelay is how long a client may take to end after its context has ended.
	killDelay = 5 * time.Second
)

// ErrNotFound is the error for things that do not exist.
var ErrNotFound = errors.New("not found")

// client is the command line of an engine.
type client struct{ name, path string }

// run calls the client and returns its output, also together with an error.
func (c client) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &stdout, &stderr
	cmd.WaitDelay = killDelay
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", ctx.Err(), err)
		}
		return stdout.Bytes(), &commandError{
			command: c.name + " " + verb(args), stderr: tail(strings.TrimSpace(stderr.String())), err: err,
		}
	}
	return stdout.Bytes(), nil
}

// call runs a short command without output.
func (c client) call(ctx context.Context, what string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.run(ctx, nil, args...)
	if missing(err) {
		return fmt.Errorf("%s: %w", what, errors.Join(ErrNotFound, err))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// commandError is a failed call with the engine's output.
type commandError struct {
	command string
	stderr  string
	err     error
}

func (c *commandError) Error() string {
	text := fmt.Sprintf("%s: %v", c.command, c.err)
	if c.stderr != "" {
		text += ": " + c.stderr
	}
	return text
}

func (c *commandError) Unwrap() error { return c.err }

// verb is the part of a command line that may appear in messages. Arguments may hold secrets.
func verb(args []string) string {
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") || i == 2 {
			return strings.Join(args[:i], " ")
		}
	}
	return strings.Join(args, " ")
}

// tail shortens long output to its end, where errors are.
func tail(text string) string {
	const limit = 4096
	if len(text) > limit {
		return "…" + text[len(text)-limit:]
	}
	return text
}

// missing reports whether the engine's error means that the object does not exist.
func missing(err error) bool {
	var failed *commandError
	if !errors.As(err, &failed) {
		return false
	}
	text := strings.ToLower(failed.stderr)
	for _, phrase := range []string{
		"no such container", "no such image", "no such object", "no such volume", "no such network", // docker, nerdctl
		"no container with name", "does not exist in database", "image not known", "no volume with name", // podman
		"network not found", "unable to find network", "no network found", "not found in network",
	} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return strings.Contains(text, "network") && strings.Contains(text, "not found")
}
