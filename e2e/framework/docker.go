package framework

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// HoldDocker makes Docker work until release is called or this process ends, whichever comes first, and returns how it is reached, as the
// value of DOCKER_HOST. Other packages of tests may hold it at the same time: the last one stops a daemon that the first one has started.
func HoldDocker(limit time.Duration) (host string, release func() error, err error) {
	root, err := repository()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(filepath.Join(root, "hack", "kind", "docker.sh"), "hold")
	cmd.WaitDelay = 5 * time.Second // a daemon that it started may hold the outputs
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	release = func() error {
		_ = input.Close()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("release Docker: %w: %s", err, strings.TrimSpace(stderr.String()))
		}
		return nil
	}
	late := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("hold Docker: %w", err), release())
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	return strings.TrimPrefix(strings.TrimSpace(line), "export DOCKER_HOST="), release, nil
}
