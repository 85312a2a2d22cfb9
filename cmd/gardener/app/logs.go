package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
)

func newLogs(global *globalFlags) *cobra.Command {
	var (
		follow, previous bool
		tail             int
	)
	cmd := &cobra.Command{
		Use: "logs", GroupID: "landscape", Short: "Print the log of the landscape", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			name := l.paths.Log()
			if previous {
				name = l.paths.PreviousLog()
			}
			file, err := os.Open(name)
			if errors.Is(err, os.ErrNotExist) {
				return &exitError{code: codeNotFound, err: fmt.Errorf("landscape %q has no log %s", l.Name, name), hint: `start it with "gardener up"`}
			}
			if err != nil {
				return err
			}
			defer file.Close()
			if err := printTail(cmd.OutOrStdout(), file, tail); err != nil || !follow {
				return err
			}
			for {
				if _, err := io.Copy(cmd.OutOrStdout(), file); err != nil {
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
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on printing until interrupted")
	cmd.Flags().BoolVarP(&previous, "previous", "p", false, "the log of the start before")
	cmd.Flags().IntVar(&tail, "tail", -1, "only the last lines; all when negative")
	return cmd
}

// printTail prints the last lines and leaves the file at its end.
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
