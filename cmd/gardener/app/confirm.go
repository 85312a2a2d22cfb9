package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// confirm asks on a terminal whether something shall be destroyed, unless the user has said so with --yes. Where nobody can answer, it
// refuses.
func confirm(cmd *cobra.Command, yes bool, consequence string) error {
	if yes {
		return nil
	}
	in, interactive := cmd.InOrStdin().(*os.File)
	if !interactive || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(os.Stderr.Fd())) {
		return usageError(errors.New(consequence), "confirm with --yes")
	}
	return ask(cmd.Context(), in, cmd.ErrOrStderr(), consequence)
}

// ask asks whether to go on. An interrupt ends it at once, while the goroutine that reads stays until the process ends.
func ask(ctx context.Context, in io.Reader, out io.Writer, consequence string) error {
	fmt.Fprintf(out, "%s. Go on? [y/N] ", strings.ToUpper(consequence[:1])+consequence[1:])
	answers := make(chan string, 1)
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n') // the end of input is no consent
		answers <- answer
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return &exitError{code: codeInterrupted, err: ctx.Err(), hint: "nothing was changed"}
	case answer := <-answers:
		if !strings.HasSuffix(answer, "\n") { // the cursor is behind the question
			fmt.Fprintln(out)
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return nil
		}
		return &exitError{code: codeUsage, err: errors.New("nothing was changed"), hint: "it goes on after the answer y, or with --yes"}
	}
}
