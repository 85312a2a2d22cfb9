package containers

import (
	"context"
	"fmt"
	"io"
)

// Exec runs a program in a running container as root and returns its output. stdin may be nil. The error contains
// what the program wrote to standard error.
func (e *Engine) Exec(ctx context.Context, name string, stdin io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	command := []string{"exec"}
	if stdin != nil {
		command = append(command, "--interactive")
	}
	out, err := e.run(ctx, stdin, append(append(command, name), args...)...)
	if missing(err) {
		return out, fmt.Errorf("run %s in container %s: %w (%w)", first(args), name, ErrNotFound, err)
	}
	if err != nil {
		return out, fmt.Errorf("run %s in container %s: %w", first(args), name, err)
	}
	return out, nil
}

// CopyTo unpacks a tar stream below a directory of a running container. The directory need not exist. Unlike the
// engines' own copy commands it also reaches file systems mounted inside the container.
func (e *Engine) CopyTo(ctx context.Context, name string, tar io.Reader, dir string) error {
	if _, err := e.Exec(ctx, name, nil, "mkdir", "-p", dir); err != nil {
		return err
	}
	if _, err := e.Exec(ctx, name, tar, "tar", "--extract", "--file=-", "--no-same-owner", "--directory="+dir); err != nil {
		return fmt.Errorf("copy to %s: %w", dir, err)
	}
	return nil
}

func first(args []string) string {
	if len(args) == 0 {
		return "nothing"
	}
	return args[0]
}
