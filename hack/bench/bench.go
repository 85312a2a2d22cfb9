package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// bench is one run of the benchmark: what to do and what was found.
type bench struct {
	binary         string
	runs           int
	settle, window time.Duration // wait before something counts as idle; how long processor time is watched
	log            io.Writer     // progress

	found figures
	left  error // what could not be removed
}

// figures are times in seconds, memory in bytes, processor time in percent of one core.
type figures struct {
	cold, restart, shoot  stats.Sample
	peerCold, peerRestart stats.Sample
	idle, withShoot       usage // the landscape without shoots and with one
	peerIdle              usage
	shootPSS, daemonPSS   stats.Sample // the landscape with one shoot: the processes of the shoot, and those before it
	download              stats.Sample
	downloadHow           string
}

// measure takes all figures. One that cannot be taken does not keep it from taking the others.
func (b *bench) measure(ctx context.Context) error {
	var errs []error
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"starts", b.starts},     // first, while the machine is cool and the page cache holds the binary only
		{"shoots", b.shoots},     // needs what was idle before
		{"download", b.compress}, // last, since it heats
	} {
		if ctx.Err() != nil {
			break
		}
		if err := part.do(ctx); err != nil && ctx.Err() == nil {
			errs = append(errs, fmt.Errorf("%s: %w", part.name, err))
			b.say("%s: not everything could be measured; the reason follows the table", part.name)
		}
	}
	if ctx.Err() != nil {
		errs = append(errs, ctx.Err())
	}
	return errors.Join(errs...)
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.log, "  "+format+"\n", args...)
}

// inDir runs do in a temporary directory of its own.
func inDir(do func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "gardener-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return do(dir)
}
