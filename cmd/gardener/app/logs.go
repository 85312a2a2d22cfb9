package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

func newLogs(global *globalFlags) *cobra.Command {
	var (
		follow, previous bool
		tail             int
	)
	cmd := &cobra.Command{
		Use: "logs [SEED]", GroupID: "landscape", Short: "Print the log of the landscape or of a further seed's cluster", Args: cobra.MaximumNArgs(1),
		Long: `Print the log of the landscape, or the log of the cluster of a further seed. The log of the landscape contains the first seed and
all controllers, also those for further seeds.`,
		Example: `  gardener logs --follow
  gardener logs two --tail=100`,
		ValidArgsFunction: completeFirst(global, func(_ context.Context, l *landscape) ([]string, error) { return loggingSeeds(l) }),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			log, err := openLog(l, args, previous)
			if err != nil {
				return err
			}
			defer func() { log.Close() }()
			older, end := olderLogs(log.Name(), previous)
			defer end()
			if err := printTail(cmd.OutOrStdout(), io.MultiReader(append(older, log)...), tail); err != nil || !follow {
				return err
			}
			for {
				if _, err := io.Copy(cmd.OutOrStdout(), log); err != nil {
					return err
				}
				if log, err = newest(cmd.OutOrStdout(), log); err != nil {
					return err
				}
				select {
				case <-cmd.Context().Done():
					return nil
				case <-time.After(200 * time.Millisecond):
				}
			}
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new lines until interrupted")
	cmd.Flags().BoolVarP(&previous, "previous", "p", false, "print the log of the previous start")
	cmd.Flags().IntVar(&tail, "tail", -1, "print only this many lines from the end; negative prints all")
	return cmd
}

// olderLogs opens the older files of the present start's log, the oldest first.
func olderLogs(log string, previous bool) (files []io.Reader, end func()) {
	var closers []io.Closer
	for n := config.KeptLogs; n > 0 && !previous; n-- {
		if file, err := os.Open(paths.OlderLogOf(log, n)); err == nil { // else there is none
			files, closers = append(files, file), append(closers, file)
		}
	}
	return files, func() {
		for _, closer := range closers {
			_ = closer.Close()
		}
	}
}

// newest returns the log file that is written now: another one if the log was rotated since log was opened. What was written to
// the former one is printed first.
func newest(w io.Writer, log *os.File) (*os.File, error) {
	opened, err := log.Stat()
	if err != nil {
		return log, err
	}
	if now, err := os.Stat(log.Name()); err != nil || os.SameFile(now, opened) {
		return log, nil
	}
	next, err := os.Open(log.Name())
	if err != nil {
		return log, nil // between two names
	}
	_, err = io.Copy(w, log)
	return next, errors.Join(err, log.Close())
}

// openLog opens the log of the seed that args name, or the log of the landscape.
func openLog(l *landscape, args []string, previous bool) (*os.File, error) {
	of, what := l.paths, fmt.Sprintf("landscape %q", l.Name)
	if len(args) > 0 && args[0] != l.Seed.Name {
		seeds, err := loggingSeeds(l)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(seeds, args[0]) {
			return nil, &exitError{code: codeNotFound, err: fmt.Errorf("landscape %q has no further seed %q", l.Name, args[0]), hint: `see "gardener seed list"`}
		}
		of, what = l.paths.Seed(args[0]), fmt.Sprintf("seed %q", args[0])
	}
	name := of.Log()
	if previous {
		name = of.PreviousLog()
	}
	file, err := os.Open(name)
	if !errors.Is(err, os.ErrNotExist) {
		return file, err
	}
	missing := &exitError{code: codeNotFound, err: fmt.Errorf("%s has no log %s", what, name)}
	if !previous {
		missing.hint = `start it with "gardener up"`
	}
	return nil, missing
}

// loggingSeeds returns the further seeds that have files in the state directory, whether the landscape runs or not.
func loggingSeeds(l *landscape) ([]string, error) {
	entries, err := os.ReadDir(l.paths.Seed("").Root())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("find further seeds: %w", err)
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

// printTail prints the last lines and leaves the file at its end. A negative number prints all lines.
func printTail(w io.Writer, file io.Reader, lines int) error {
	if lines < 0 {
		_, err := io.Copy(w, file)
		return err
	}
	var last []string
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if last = append(last, scanner.Text()); len(last) > lines {
			last = last[1:]
		}
	}
	for _, line := range last {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return scanner.Err()
}
