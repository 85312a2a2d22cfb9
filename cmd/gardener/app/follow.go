package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// followPeriod is how often lists are made again that nobody tells about changes.
const followPeriod = time.Second

// followed is a list that is printed again and again, as far as it changes.
type followed[T any] struct {
	output  string
	display *display
	collect func(context.Context) ([]T, error)
	name    func(T) string
	// rows are a header, unless the output is name, and one row for each item.
	rows func([]T) [][]string
}

// follow prints the list, and each item that changes or goes, until ctx ends or collect fails.
func (f followed[T]) follow(ctx context.Context, w io.Writer, tick <-chan time.Time) error {
	out, printed := newColumns(w, f.display, f.output), map[string]string{}
	for first := true; ; first = false {
		items, err := f.collect(ctx)
		if err != nil {
			return err
		}
		if err := f.changes(out, items, printed, first); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
	}
}

// changes prints what differs from what was printed.
func (f followed[T]) changes(out *columns, items []T, printed map[string]string, first bool) error {
	table := f.output == "table" || f.output == "wide" || f.output == "name"
	var lines [][]string
	if first && (f.output == "table" || f.output == "wide") {
		lines = append(lines, f.rows(nil)[0])
	}
	seen := map[string]bool{}
	for _, item := range items {
		rows, name := f.rows([]T{item}), f.name(item)
		seen[name] = true
		row := rows[len(rows)-1]
		text := fmt.Sprint(row)
		if !table {
			text = fmt.Sprintf("%+v", item)
		}
		if printed[name] == text {
			continue
		}
		printed[name] = text
		if table {
			lines = append(lines, row)
			continue
		}
		if f.output == "yaml" {
			fmt.Fprintln(out.w, "---")
		}
		if err := printAs(out.w, f.output, item, nil); err != nil {
			return err
		}
	}
	for name := range printed {
		if seen[name] {
			continue
		}
		delete(printed, name)
		if table {
			lines = append(lines, []string{name, "gone"})
		}
	}
	return out.print(lines...)
}

// addWatch adds the flag -w.
func addWatch(cmd *cobra.Command, watch *bool) {
	cmd.Flags().BoolVarP(watch, "watch", "w", false, "go on and print each change")
}

// every is a clock for follow. Stop it with the function.
func every(period time.Duration) (<-chan time.Time, func()) {
	ticker := time.NewTicker(period)
	return ticker.C, ticker.Stop
}
