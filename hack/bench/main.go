// Bench measures a landscape of the built binary. For comparison it measures the bare servers that any landscape needs.
// It prints one table. It drives the binary from outside, as a user does, with its own landscapes below a temporary
// directory, and removes everything it created. Targets are printed, not enforced. See docs/bench.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/hack/bench/table"
)

// limit is the time limit of the whole run.
const limit = time.Hour

const (
	// settle is longer than the 15 s after which components of the binary release the memory of their start.
	settle = 20 * time.Second
	// window is short, since every row is measured several times.
	window = 10 * time.Second
)

// peerName is the heading of the columns of package peer.
const peerName = "etcd + kube-apiserver"

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
	b := &bench{settle: settle, window: window, log: os.Stderr}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&b.runs, "n", 5, "number of runs of each row")
	quick := flags.Bool("quick", false, "one run, 1 s for measurements at rest, and a fast compression: to try the benchmark, not to quote its figures")
	flags.Func("only", "measure only these parts, by comma: "+strings.Join(parts, ", "), func(names string) error {
		b.only = strings.Split(names, ",")
		for _, name := range b.only {
			if !slices.Contains(parts, name) {
				return fmt.Errorf("there is no part %q; the parts are %s", name, strings.Join(parts, ", "))
			}
		}
		return nil
	})
	output := flags.String("o", "text", "output format: text or markdown")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	print, known := map[string]func(io.Writer, []table.Row, string) error{"text": table.Text, "markdown": table.Markdown}[*output]
	if !known || b.runs < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: bench [-n runs] [-only parts] [-quick] [-o text|markdown]")
		return exitUsage
	}
	if *quick {
		b.runs, b.settle, b.window, b.fast = 1, time.Second, time.Second, true
	}
	var err error
	if b.binary, err = testenv.Binary(); err != nil {
		fmt.Fprintln(os.Stderr, "find the binary:", err)
		return exitMissing
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	caption := machine(b)
	err = b.measure(limited)
	if ctx.Err() != nil {
		if b.left != nil {
			fmt.Fprintln(os.Stderr, "interrupted; not everything is removed:", b.left)
		}
		return exitInterrupted
	}
	rows := b.rows()
	fmt.Printf("%s\n\n", caption)
	if err := print(os.Stdout, rows, peerName); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitMissing
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nnot everything could be measured:\n%v\n", err)
		return exitMissing
	}
	return 0
}
