// Command managedresources measures a resource manager with many ManagedResources: the first application of all objects,
// writes while nothing changes, the repair of a changed object, and memory. For comparison it measures `kubectl apply
// --server-side` of the same objects. It starts its own API server and prints a table.
//
//	GARDENER_BIN=bin/gardener go run ./hack/bench/managedresources
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// bench is one run.
type bench struct {
	env       *testenv.Env
	client    client.WithWatch
	binary    string
	resources int
	objects   int // objects of each ManagedResource
	quiet     time.Duration
}

func main() {
	var b bench
	flag.IntVar(&b.resources, "resources", 1000, "number of ManagedResources")
	flag.IntVar(&b.objects, "objects", 10, "number of objects of each")
	flag.DurationVar(&b.quiet, "quiet", 90*time.Second, "how long to count writes while nothing changes")
	peer := flag.Bool("peer", true, "measure kubectl, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx, *peer); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, peer bool) error {
	if err := b.start(); err != nil {
		return err
	}
	defer b.env.Stop()
	if err := b.createResources(ctx); err != nil {
		return err
	}
	manager, err := b.startManager()
	if err != nil {
		return err
	}
	defer manager.stop()
	begin := time.Now()
	if err := b.waitApplied(ctx); err != nil {
		return err
	}
	row("first application", time.Since(begin).Round(100*time.Millisecond).String(), "120s")
	row("memory then (anonymous)", manager.memory(), "")
	writes, err := b.countWrites(ctx)
	if err != nil {
		return err
	}
	row(fmt.Sprintf("writes in %s of quiet", b.quiet), fmt.Sprint(writes), "0")
	row("processor meanwhile", manager.usage(), "")
	row("memory then (anonymous)", manager.memory(), "")
	slowest, err := b.repair(ctx)
	if err != nil {
		return err
	}
	row("repair of a changed object, slowest of 10", slowest.Round(time.Millisecond).String(), "2s")
	manager.stop()
	if !peer {
		return nil
	}
	elapsed, err := b.kubectl(ctx)
	if err != nil {
		return err
	}
	row("kubectl apply --server-side of the same objects", elapsed.Round(100*time.Millisecond).String(), "")
	return nil
}

func (b *bench) start() error {
	definitions, err := crds.Resources()
	if err != nil {
		return err
	}
	if b.binary, err = testenv.Binary(); err != nil {
		return err
	}
	if b.env, err = testenv.Start(testenv.Options{CRDs: definitions, Binary: b.binary}); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return err
	}
	b.client, err = client.NewWithWatch(b.env.Config, client.Options{Scheme: scheme})
	return err
}

func row(what, value, target string) { fmt.Printf("| %-48s | %10s | %6s |\n", what, value, target) }
