// Command api measures the Gardener API server with thousands of Shoots: creations, lists, watches, patches and memory.
// For comparison it measures ConfigMaps of equal size on the kube-apiserver. There are no controllers. The
// targets are printed, not enforced. See docs/bench.md.
//
//	GARDENER_BIN=bin/gardener go run ./hack/bench/api
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
)

func main() {
	var b bench
	flag.IntVar(&b.objects, "objects", 5000, "number of Shoots, and of ConfigMaps")
	flag.IntVar(&b.workers, "workers", 4, "requests at the same time")
	flag.IntVar(&b.turn, "turn", 100, "number of objects of one kind per turn")
	flag.IntVar(&b.lists, "lists", 5, "number of lists")
	// longer than the time after which components release the memory of their start
	flag.DurationVar(&b.settle, "settle", 20*time.Second, "pause before memory is measured")
	flag.StringVar(&b.profile, "cpuprofile", "", "write processor profiles of the API servers during creations and patches to files with this prefix; profiling changes the figures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, &b)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, b *bench) error {
	options := gardenapitest.Options{Extensions: true, Process: true}
	if b.profile != "" {
		options.Env.APIServerArgs = []string{"--profiling=true"}
	}
	garden, err := gardenapitest.Start(options)
	if err != nil {
		return fmt.Errorf("start servers: %w", err)
	}
	defer garden.Stop()
	if err := prepare(ctx, garden.Config); err != nil {
		return fmt.Errorf("prepare the project: %w", err)
	}
	shoots, configMaps, err := bothKinds(ctx, garden)
	if err != nil {
		return err
	}
	kinds := []*kind{configMaps, shoots}
	if err := b.creations(ctx, kinds); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := b.listings(ctx, kinds); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := b.patches(ctx, kinds); err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	return b.print(os.Stdout, shoots, configMaps)
}

func (b *bench) creations(ctx context.Context, kinds []*kind) (err error) {
	for _, k := range kinds {
		if err := b.createAlone(ctx, k); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	for _, k := range kinds {
		if k.watched, err = k.watch(ctx); err != nil {
			return fmt.Errorf("watch %s: %w", k.name, err)
		}
		defer k.watched.stop()
	}
	if err := b.inTurns(ctx, kinds, create); err != nil {
		return err
	}
	_, objects := b.halves()
	for _, k := range kinds {
		if k.events, err = k.watched.all(ctx, objects.end-objects.first); err != nil {
			return fmt.Errorf("watch %s: %w", k.name, err)
		}
	}
	return nil
}

func (b *bench) patches(ctx context.Context, kinds []*kind) error {
	for _, k := range kinds {
		if err := b.alone(ctx, k, patch); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return b.inTurns(ctx, kinds, patch)
}
