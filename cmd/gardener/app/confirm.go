package app

import (
	"bufio"
	"errors"
	"fmt"
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
	fmt.Fprintf(cmd.ErrOrStderr(), "%s. Go on? [y/N] ", strings.ToUpper(consequence[:1])+consequence[1:])
	answer, _ := bufio.NewReader(in).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &exitError{code: codeUsage, err: errors.New("nothing was changed"), hint: "it goes on after the answer y, or with --yes"}
}
