package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// logging is what "gardener logs" prints.
type logging struct {
	shown            *display
	follow, previous bool
	output           string // empty: as it suits a terminal or a file
	tail             int
	filter           logFilter
}

func newLogs(global *globalFlags) *cobra.Command {
	logs := logging{shown: global.display}
	var (
		since time.Duration
		shoot string
	)
	cmd := &cobra.Command{
		Use: "logs [SEED]", GroupID: "landscape", Short: "Print the log of the landscape or of a further seed's cluster", Args: mayHave("the name of a seed"),
		Long: `Print the log of the landscape, or the log of the cluster of a further seed. The log of the landscape contains the first seed and
all controllers, also those for further seeds. The pods of a shoot's control plane have logs of their own, see the last example.

A terminal shows each line as text: the local time, the level, the part or the logger, the message, and the rest as key=value. Files and
other programs get the lines as they are stored, one JSON object each. -o text and -o json choose one of the two for both.`,
		Example: `  gardener logs --follow
  gardener logs two --tail=100
  gardener logs --since 10m --shoot garden-local/sun
  gardener logs --part gardenlet
  gardener logs --since 1h -o text > today.log
  gardener kubectl --kubeconfig <(gardener kubeconfig seed) -n shoot--local--sun logs deployment/kube-apiserver`,
		ValidArgsFunction: completeFirst(global, func(_ context.Context, l *landscape) ([]string, error) { return loggingSeeds(l) }),
		RunE: func(cmd *cobra.Command, args []string) error {
			if level := logs.filter.level; level != "" && !slices.Contains(logLevels, level) {
				return usageError(fmt.Errorf("unknown level %q", level), "--level accepts one of "+strings.Join(logLevels, ", "))
			}
			if since != 0 {
				logs.filter.since = time.Now().Add(-since)
			}
			if shoot != "" {
				key, err := shootKey(cmd, shoot)
				if err != nil {
					return err
				}
				logs.filter.shoot = &key
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			return logs.print(cmd, l, args)
		},
	}
	addNamespace(cmd, global)
	f := cmd.Flags()
	f.BoolVarP(&logs.follow, "follow", "f", false, "keep printing new lines until interrupted")
	f.BoolVarP(&logs.previous, "previous", "p", false, "print the log of the previous start")
	f.IntVar(&logs.tail, "tail", -1, "print only this many lines from the end; negative prints all")
	f.DurationVar(&since, "since", 0, "print only lines that are not older, such as 10m")
	f.StringVar(&logs.filter.part, "part", "", `print only lines of this part, as "gardener status" names it, or of this logger`)
	f.StringVar(&shoot, "shoot", "", "print only lines about this shoot: NAMESPACE/NAME, or NAME with -n NAMESPACE")
	f.StringVar(&logs.filter.level, "level", "", "print only lines of this level or a worse one: one of "+strings.Join(logLevels, ", "))
	addOutputs(cmd, &logs.output, logText, logJSON)
	flag := f.Lookup("output")
	flag.DefValue, flag.Usage = "", flag.Usage+"; by default text on a terminal, and json elsewhere"
	logs.output = ""
	_ = cmd.RegisterFlagCompletionFunc("level", cobra.FixedCompletions(logLevels, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("shoot", completeShoots(global))
	_ = cmd.RegisterFlagCompletionFunc("part", completeParts(global))
	return cmd
}

func (l logging) print(cmd *cobra.Command, of *landscape, args []string) error {
	log, err := openLog(of, args, l.previous)
	if err != nil {
		return err
	}
	defer func() { log.Close() }()
	older, end := olderLogs(log.Name(), l.previous)
	defer end()
	printer := newLogPrinter(cmd.OutOrStdout(), l.shown, l.output)
	w := &filteredWriter{w: printer, filter: &l.filter}
	if err := errors.Join(l.printTail(w, io.MultiReader(append(older, log)...)), printer.Flush()); err != nil {
		return err
	}
	if err := l.filter.unknownPart(of.parts(cmd.Context(), l.filter)); err != nil || !l.follow {
		return err
	}
	for {
		if _, err := io.Copy(w, log); err != nil {
			return err
		}
		if log, err = newest(w, log); err != nil {
			return err
		}
		if err := printer.Flush(); err != nil {
			return err
		}
		select {
		case <-cmd.Context().Done():
			return nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// parts are those of a landscape that runs, if the filter needs them: it has found no line of its part.
func (l *landscape) parts(ctx context.Context, filter logFilter) []component.Status {
	if filter.part == "" || filter.found {
		return nil
	}
	control, err := l.running()
	if err != nil {
		return nil // the log of a landscape that has ended is enough
	}
	report, err := askReport(ctx, control, answersTimeout)
	if err != nil {
		return nil
	}
	return report.Parts
}

// olderLogs opens the older files of the present start's log, the oldest first.
func olderLogs(log string, previous bool) (files []io.Reader, end func()) {
	var closers []io.Closer
	for n := config.KeptLogs; n > 0 && !previous; n-- {
		if file, err := os.Open(paths.OlderLogOf(log, n)); err == nil { // else no such file exists
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
	name := of.Logs().Current()
	if previous {
		name = of.Logs().Previous()
	}
	file, err := os.Open(name)
	if !errors.Is(err, os.ErrNotExist) {
		return file, err
	}
	hint := `start it with "gardener up"`
	if previous {
		hint = "without --previous, the log of the present start is printed"
	}
	return nil, &exitError{code: codeNotFound, err: fmt.Errorf("%s has no log %s", what, name), hint: hint}
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

// printTail prints the last lines that pass the filter and leaves the file at its end. A negative number prints all lines.
func (l logging) printTail(w *filteredWriter, file io.Reader) error {
	if l.tail < 0 {
		_, err := io.Copy(w, file)
		return err
	}
	last := &lastLines{count: l.tail}
	if _, err := io.Copy(&filteredWriter{w: last, filter: w.filter}, file); err != nil {
		return err
	}
	for _, line := range last.lines {
		if _, err := io.WriteString(w.w, line); err != nil {
			return err
		}
	}
	return nil
}

// lastLines keeps the last lines that are written to it. Each Write is one line.
type lastLines struct {
	lines []string
	count int
}

func (l *lastLines) Write(line []byte) (int, error) {
	if l.lines = append(l.lines, string(line)); len(l.lines) > l.count {
		l.lines = l.lines[1:]
	}
	return len(line), nil
}
