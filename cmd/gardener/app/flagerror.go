package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says what a flag takes, where pflag only says that it does not take what it got.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return usageError(err, fmt.Sprintf("see %q", cmd.CommandPath()+" --help"))
	}
	flag := invalid.GetFlag()
	if output, ok := flag.Value.(*outputFlag); ok {
		return usageError(errors.Unwrap(invalid), "-o accepts one of "+strings.Join(output.known, ", "))
	}
	hint := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
	switch flag.Value.Type() {
	case "duration":
		hint = fmt.Sprintf("--%s takes a number with a unit, such as 30s, 10m or 2h", flag.Name)
	case "int", "int32", "int64":
		hint = fmt.Sprintf("--%s takes a whole number", flag.Name)
	case "bool":
		hint = fmt.Sprintf("--%s takes true or false, or nothing", flag.Name)
	}
	return usageError(fmt.Errorf("--%s cannot be %q", flag.Name, invalid.GetValue()), hint)
}
