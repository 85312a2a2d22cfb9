// Kind measures a landscape whose seed is a kind cluster and whose shoots use containers as nodes. For comparison it
// measures a bare kind cluster with the same node image on the same machine. It prints one table. It needs Docker and a
// node image, and removes everything it created. Targets are printed, not enforced. See docs/bench.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/hack/bench/table"
)

// limit is the time limit of the whole run.
const limit = time.Hour

// peerName is the heading of the columns of the bare cluster.
const peerName = "kind create cluster"

const (
	exitMissing     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	b := &bench{log: os.Stderr}
	flags := flag.NewFlagSet("kind", flag.ContinueOnError)
	flags.IntVar(&b.runs, "n", 3, "number of runs of each row")
	flags.BoolVar(&b.withShoot, "shoot", true, "also measure a shoot and a start with state")
	flags.StringVar(&b.image, "image", config.DefaultNodeImage, "node image")
	output := flags.String("o", "text", "output format: text or markdown")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	print, known := map[string]func(io.Writer, []table.Row, string) error{"text": table.Text, "markdown": table.Markdown}[*output]
	if !known || b.runs < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: kind [-n runs] [-shoot=false] [-image image] [-o text|markdown]")
		return exitUsage
	}
	var err error
	if b.binary, err = testenv.Binary(); err != nil {
		fmt.Fprintln(os.Stderr, "find the binary:", err)
		return exitMissing
	}
	caption := fmt.Sprintf("%s/%s, %d CPUs, load before the run %s; %d runs of each row", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load(), b.runs)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = b.measure(limited)
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitInterrupted
	}
	fmt.Printf("%s\n\n", caption)
	if err := print(os.Stdout, b.rows(), peerName); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitMissing
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nnot everything could be measured:\n%v\n", err)
		return exitMissing
	}
	return 0
}

// load returns the load of the machine before the benchmark adds its own.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
