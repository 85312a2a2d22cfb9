package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/hack/bench/decisions"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
)

// The garden in which the seed authorizer decides.
const (
	shootsOfGarden, seedsOfGarden = 1000, 20
	questionsPerRun               = 5000 // of each kind
)

// bench is one run of the benchmark: its settings and its results.
type bench struct {
	binary         string
	runs           int
	settle, window time.Duration // pause before a measurement at rest; window for processor time
	fast           bool          // compress fast
	only           []string      // the parts to measure; all if empty
	log            io.Writer     // progress messages

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
	etcdPSS, backupPSS    stats.Sample // an etcd alone, and one with backups
	migration             stats.Sample
	decision              stats.Sample // in milliseconds
	download              stats.Sample
	downloadHow           string
}

// The parts of the benchmark. Each fills rows of its own.
const (
	starts     = "starts"
	shoots     = "shoots"
	migrations = "migrations"
	backups    = "backups"
	decision   = "decisions"
	compressed = "download"
)

// parts are all of them, in the order in which they are measured.
var parts = []string{starts, shoots, migrations, backups, decision, compressed}

// measures reports whether a part is wanted.
func (b *bench) measures(part string) bool { return len(b.only) == 0 || slices.Contains(b.only, part) }

// measure takes all figures. If one fails, the others are still measured.
func (b *bench) measure(ctx context.Context) error {
	var errs []error
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{starts, b.starts}, // first, while the machine is cool and the page cache contains only the binary
		{shoots, b.shoots}, // must be idle before
		{migrations, b.migration},
		{backups, b.sidecar},
		{decision, b.decisions},
		{compressed, b.compress}, // last, since it heats the machine
	} {
		if ctx.Err() != nil {
			break
		}
		if !b.measures(part.name) {
			continue
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

// decisions measures the seed authorizer of a large garden.
func (b *bench) decisions(ctx context.Context) (err error) {
	b.say("decisions of the seed authorizer")
	b.found.decision, err = decisions.Measure(ctx, b.runs, questionsPerRun, shootsOfGarden, seedsOfGarden)
	return err
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.log, "  "+format+"\n", args...)
}

// inDir calls do with its own temporary directory.
func inDir(do func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "gardener-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return do(dir)
}
