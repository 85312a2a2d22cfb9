// Command snapshots measures full snapshots and restorations of a large etcd, and writes to it meanwhile. For comparison it measures
// `etcdctl snapshot save` and `etcdutl snapshot restore`, by the packages that these commands consist of. It starts its own etcd below a temporary
// directory, prints one table and removes everything.
//
//	go run ./hack/bench/snapshots -size 256 -n 1 -only none
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/hack/bench/table"
)

const (
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	size := flag.Int("size", 1024, "MiB of values in the etcd")
	runs := flag.Int("n", 3, "number of runs of each row")
	only := flag.String("only", strings.Join(algorithms, ","), "compressions to measure, separated by commas")
	flag.Parse()
	chosen := strings.Split(*only, ",")
	unknown := func(name string) bool { return !slices.Contains(algorithms, name) }
	if n := slices.IndexFunc(chosen, unknown); n >= 0 {
		fmt.Fprintf(os.Stderr, "error: -only has the compression %q, want some of %s\n", chosen[n], strings.Join(algorithms, ", "))
		os.Exit(exitUsage)
	}
	if *size < 1 || *runs < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, chosen, *size, *runs)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(exitFailure)
	}
}

func run(ctx context.Context, algorithms []string, size, runs int) error {
	dir, err := os.MkdirTemp("", "bench-snapshots")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := startEtcd(dir)
	if err != nil {
		return err
	}
	defer e.close()
	if err := e.fill(ctx, size); err != nil {
		return fmt.Errorf("fill the etcd: %w", err)
	}
	b := &bench{etcd: e, dir: dir, algorithms: algorithms}
	for n := range runs {
		fmt.Fprintf(os.Stderr, "run %d of %d\n", n+1, runs)
		if err := b.once(ctx); err != nil {
			return err
		}
	}
	return table.Text(os.Stdout, b.rows(), "etcdctl and etcdutl")
}
