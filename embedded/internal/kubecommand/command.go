// Package kubecommand makes a Kubernetes server's own command a component of this binary: same flags, same help,
// same end on SIGTERM. For the Kubernetes servers below embedded/ only.
package kubecommand

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
)

// EnvEmbedded is "true" in processes that an embedded node started. Kubernetes refuses loopback addresses in
// Endpoints, so what writes them has to be off there.
const EnvEmbedded = "GARDENER_EMBEDDED"

// Embedded tells whether an embedded node started this process.
func Embedded() bool { return os.Getenv(EnvEmbedded) == "true" }

// New returns a command called name that hands all its arguments, changed by adjust, to the command that inner
// makes. inner is called when the command runs and not before, since making one of these commands changes the process.
func New(name, short string, inner func() *cobra.Command, adjust func(args []string) []string) *cobra.Command {
	return &cobra.Command{
		Use:                name + " [" + name + "'s own flags]",
		Short:              short,
		DisableFlagParsing: true,
		SilenceUsage:       true,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd := inner()
			cmd.SetArgs(adjust(args))
			cmd.SilenceErrors = true
			return cli.RunNoErrOutput(cmd)
		},
	}
}

// Has tells whether args contain the flag called name, in one of the forms --name, --name=value.
func Has(args []string, name string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		flag, _, _ := strings.Cut(arg, "=")
		return flag == "--"+name
	})
}

// Value returns the last value of the flag called name in args, and args without it.
func Value(args []string, name string) (value string, found bool, rest []string) {
	for i := 0; i < len(args); i++ {
		flag, v, hasValue := strings.Cut(args[i], "=")
		switch {
		case flag != "--"+name:
			rest = append(rest, args[i])
		case hasValue:
			value, found = v, true
		case i+1 < len(args):
			i++
			value, found = args[i], true
		}
	}
	return value, found, rest
}
