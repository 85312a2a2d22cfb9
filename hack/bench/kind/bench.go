package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/e2e/framework/cli"
	"github.com/gardener-up/gardener-up/examples"
	"github.com/gardener-up/gardener-up/hack/bench/stats"
	"github.com/gardener-up/gardener-up/hack/bench/table"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// The shoot of examples.Shoot.
const (
	shootName      = "local"
	shootNamespace = "garden-local"
)

const (
	commandTimeout = 8 * time.Minute
	purgeTimeout   = 3 * time.Minute
)

// bench is one run: its settings and its results, in seconds.
type bench struct {
	binary, image string
	runs          int
	withShoot     bool
	log           io.Writer // progress messages

	up, restart, shoot, gone, bare stats.Sample
}

func (b *bench) rows() []table.Row {
	rows := []table.Row{
		{What: "up, cold, until ready", Unit: table.Seconds, Values: b.up, Peer: b.bare, Comparable: true},
		{What: "up, with state, until ready", Unit: table.Seconds, Values: b.restart},
		{What: "shoot with one node, create until ready", Target: "p95 ≤ 120 s", Unit: table.Seconds, Values: b.shoot, Peer: b.bare, Comparable: true},
		{What: "shoot with one node, delete until gone", Unit: table.Seconds, Values: b.gone},
	}
	if !b.withShoot {
		return rows[:1]
	}
	return rows
}

// measure alternates between the landscape and the bare cluster, so that both are measured under the same load. They
// never run at the same time.
func (b *bench) measure(ctx context.Context) error {
	engine, err := containers.Detect(ctx)
	if err != nil {
		return err
	}
	for n := range b.runs {
		fmt.Fprintf(b.log, "  run %d of %d\n", n+1, b.runs)
		if err := inDir(func(dir string) error { return b.bareCluster(ctx, engine, dir) }); err != nil {
			return err
		}
		if err := inDir(func(dir string) error { return b.landscape(ctx, dir) }); err != nil {
			return err
		}
	}
	return nil
}

// bareCluster creates a cluster of one node from the image with the library of kind, and waits until its control plane
// is ready.
func (b *bench) bareCluster(ctx context.Context, engine *containers.Engine, dir string) error {
	config := cluster.Config{
		Name: name(), NodeImage: b.image, Kubeconfig: filepath.Join(dir, "kubeconfig"),
		PodCIDR: "10.1.0.0/16", ServiceCIDR: "10.2.0.0/16", Program: b.binary,
	}
	var err error
	if config.APIServerPort, config.FrontDoorPort, err = freePorts(); err != nil {
		return err
	}
	bare, err := cluster.New(engine, config, logr.Discard())
	if err != nil {
		return err
	}
	took, err := timed(func() error {
		_, err := bare.Ensure(ctx, "")
		return err
	})
	if err == nil {
		b.bare = append(b.bare, took)
		b.say("kind create cluster", took)
	}
	return errors.Join(err, cluster.Delete(engine, config.Name, config.Kubeconfig))
}

// landscape measures one landscape from its first start to the end of its shoot.
func (b *bench) landscape(ctx context.Context, dir string) (err error) {
	l, err := cli.NewKind(b.binary, dir, name(), b.image, nil)
	if err != nil {
		return err
	}
	l.Env = environment()
	defer func() {
		purge, cancel := context.WithTimeout(context.Background(), purgeTimeout)
		defer cancel()
		err = errors.Join(err, gardener(purge, l, "down", "--purge", "--yes"))
	}()
	manifest := filepath.Join(dir, "shoot.yaml")
	if err := l.Write(manifest, string(examples.Shoot)); err != nil {
		return err
	}
	for _, part := range []struct {
		sample   *stats.Sample // nil: not measured
		commands [][]string
	}{
		{&b.up, [][]string{{"up"}}},
		{&b.shoot, [][]string{{"kubectl", "apply", "-f", manifest}, {"shoot", "wait", shootName, "-n", shootNamespace, "--timeout=6m"}}},
		{&b.gone, [][]string{{"shoot", "delete", shootName, "-n", shootNamespace, "--yes", "--timeout=6m"}}},
		{nil, [][]string{{"down"}}},
		{&b.restart, [][]string{{"up"}}},
	} {
		if part.sample != &b.up && !b.withShoot {
			break
		}
		took, err := timed(func() error {
			for _, command := range part.commands {
				if err := gardener(ctx, l, command...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if part.sample != nil {
			*part.sample = append(*part.sample, took)
			b.say("gardener "+strings.Join(part.commands[0], " "), took)
		}
	}
	return nil
}

// say prints a figure as soon as it is measured.
func (b *bench) say(what string, took float64) { fmt.Fprintf(b.log, "    %6.1f s  %s\n", took, what) }

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

// name returns a name that no other landscape has.
func name() string { return fmt.Sprintf("bench-%04x", rand.IntN(1<<16)) }

// environment finds the container engine.
func environment() []string {
	var env []string
	for _, key := range []string{"DOCKER_HOST", "CONTAINER_HOST", "XDG_RUNTIME_DIR", containers.ProviderVariable} {
		if value, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+value)
		}
	}
	return env
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
