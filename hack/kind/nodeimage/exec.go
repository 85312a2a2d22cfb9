package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// output runs a command in a directory and returns its output without the last newline. An error contains stderr.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	out := bytes.Buffer{}
	if err := execute(ctx, dir, nil, &out, name, args...); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// execute runs a command; nil streams are empty.
func execute(ctx context.Context, dir string, in io.Reader, out io.Writer, name string, args ...string) error {
	stderr := bytes.Buffer{}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, in, out, &stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, tail(stderr.String()))
	}
	return nil
}

// tail returns the end of a long output, which usually contains the cause.
func tail(s string) string {
	const limit = 4000
	s = strings.TrimSpace(s)
	if len(s) > limit {
		s = "…" + s[len(s)-limit:]
	}
	return s
}

func docker(ctx context.Context, args ...string) (string, error) {
	return output(ctx, "", "docker", args...)
}

// imageExists asks the daemon. It distinguishes a missing image from a daemon that does not respond.
func imageExists(ctx context.Context, tag string) (bool, error) {
	ids, err := docker(ctx, "images", "--quiet", "--filter", "reference="+tag)
	return ids != "", err
}

func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, "nodeimage: "+format+"\n", args...) }
