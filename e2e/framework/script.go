package framework

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Script runs a command in the root of the repository and returns the last line it prints. A name with a slash is a
// path from that root. The error ends with the command's output.
func Script(timeout time.Duration, name string, args ...string) (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if strings.Contains(name, "/") {
		name = filepath.Join(root, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second // a daemon that it started may hold the outputs
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		said := strings.TrimSpace(stderr.String())
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, said[max(0, len(said)-2000):])
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	return lines[len(lines)-1], nil
}

// repository is the root of the repository, as tests of a package in e2e see it.
func repository() (string, error) { return filepath.Abs(filepath.Join("..", "..")) }
