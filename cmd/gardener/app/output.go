package app

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"
)

var outputs = []string{"table", "json", "yaml"}

// addOutput adds the flag -o. more are outputs that only this command knows.
func addOutput(cmd *cobra.Command, output *string, more ...string) {
	addOutputs(cmd, output, slices.Concat(outputs, more)...)
}

// addOutputs adds the flag -o of a command that knows these outputs. The first is the default.
func addOutputs(cmd *cobra.Command, output *string, known ...string) {
	addOutputsTo(cmd, cmd.Flags(), output, known...)
}

// addOutputsTo adds it to these flags of the command.
func addOutputsTo(cmd *cobra.Command, flags *pflag.FlagSet, output *string, known ...string) {
	*output = known[0]
	flags.VarP(&choiceFlag{"output", output, known}, "output", "o", "one of "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}

// printAs prints the value as JSON or YAML, or prints the rows as a table whose first row is the header.
func printAs(w io.Writer, output string, value any, rows func() [][]string) error {
	return printIn(w, nil, output, value, rows)
}

// printAs is the function of that name for rows with colours and with commands for this landscape.
func (d *display) printAs(w io.Writer, output string, value any, rows func() [][]string) error {
	return printIn(w, d, output, value, rows)
}

func printIn(w io.Writer, shown *display, output string, value any, rows func() [][]string) error {
	switch output {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	case "yaml":
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	case "table", "wide", "name":
		if rows == nil {
			return usageError(fmt.Errorf("unknown output %q", output), "see --help for what -o accepts")
		}
		return printTable(w, shown, output, rows())
	default:
		return usageError(fmt.Errorf("unknown output %q", output), "-o accepts one of "+strings.Join(outputs, ", ")+"; some lists accept more, see --help")
	}
}
