package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
)

// commandTimeout limits commands of which none waits for more than a shoot.
const commandTimeout = 30 * time.Minute

const shoot = "conformance"

// landscape is one on this machine, which is not started yet. Its nodes run containers if the tests need some.
func landscape(binary, dir string, containers bool) (*cli.Landscape, error) {
	l, err := cli.New(binary, dir, nil)
	if err != nil || !containers {
		return l, err
	}
	config, err := os.ReadFile(l.Config)
	if err == nil {
		err = l.Write(l.Config, strings.Replace(string(config), cli.Simulate, "containers: sandbox\n", 1))
	}
	if err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// up starts a landscape and a shoot with these images, if any, and returns the shoot's kubeconfig.
func up(ctx context.Context, l *cli.Landscape, images string, nodes int) (string, error) {
	commands := [][]string{{"up"}}
	if images != "" {
		commands = append(commands, []string{"image", "load", images})
	}
	for _, args := range append(commands, []string{"shoot", "create", shoot, "--workers=" + strconv.Itoa(nodes), "--timeout=20m"}) {
		if err := gardener(ctx, l, args...); err != nil {
			return "", err
		}
	}
	file := filepath.Join(l.Dir, "shoot.yaml")
	result, err := l.Exec(ctx, "kubeconfig", "shoot", "garden-local/"+shoot, "--expiration=24h")
	if err := errors.Join(err, result.Check("gardener kubeconfig")); err != nil {
		return "", err
	}
	return file, os.WriteFile(file, []byte(result.Stdout), 0o600)
}

func gardener(ctx context.Context, l *cli.Landscape, args ...string) error {
	fmt.Fprintln(os.Stderr, "gardener", strings.Join(args, " "))
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	result, err := l.Exec(ctx, args...)
	return errors.Join(err, result.Check("gardener "+strings.Join(args, " ")))
}

// down removes the landscape, also after an interruption.
func down(l *cli.Landscape) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return gardener(ctx, l, "down", "--purge", "--yes")
}
