package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
)

// commandTimeout limits every command except the wait for a shoot, which has its own limit.
const commandTimeout = 6 * time.Minute

// purgeTimeout limits the removal of a landscape, which also happens after an interruption.
const purgeTimeout = 90 * time.Second

// withLandscape calls do with a landscape that has never been started, and always removes it.
func (b *bench) withLandscape(do func(*cli.Landscape) error) error {
	return inDir(func(dir string) error {
		l, err := cli.New(b.binary, dir, nil)
		if err != nil {
			return err
		}
		defer l.Release()
		err = do(l)
		left := purge(l)
		b.left = errors.Join(b.left, left)
		return errors.Join(err, left)
	})
}

// gardener runs a command that must succeed.
func gardener(ctx context.Context, l *cli.Landscape, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	r, err := l.Exec(ctx, args...)
	return errors.Join(err, r.Check("gardener "+strings.Join(args, " ")))
}

// timed returns the duration of do in seconds.
func timed(do func() error) (float64, error) {
	begin := time.Now()
	err := do()
	return time.Since(begin).Seconds(), err
}

// purge removes a landscape. It kills processes that should have ended with it, and reports them as an error.
func purge(l *cli.Landscape) error {
	ctx, cancel := context.WithTimeout(context.Background(), purgeTimeout)
	defer cancel()
	err := gardener(ctx, l, "down", "--purge", "--yes", "--timeout=30s")
	left := l.Processes()
	if len(left) == 0 {
		return err
	}
	err = errors.Join(err, fmt.Errorf("killed what was left after the purge: %v", left))
	for pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for ctx.Err() == nil && len(l.Processes()) > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// processes returns the process IDs of a landscape.
func processes(l *cli.Landscape) []int { return slices.Collect(maps.Keys(l.Processes())) }
