// Package kubecommand makes a Kubernetes server's own command a component of this binary: same flags, same help,
// same end on SIGTERM. For the Kubernetes servers below embedded/ only.
package kubecommand

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
)

// EnvEmbedded is "true" in processes that an embedded node started. Kubernetes refuses loopback addresses in
// Endpoints, so what writes them as usual has to be off there.
const EnvEmbedded = "GARDENER_EMBEDDED"

// Embedded tells whether an embedded node started this process.
func Embedded() bool { return os.Getenv(EnvEmbedded) == "true" }

// Spec of a component.
type Spec struct {
	Name, Short string
	// New makes the server's own command. It is called when the component runs and not before, since making one of
	// these commands changes the process.
	New func() *cobra.Command
	// Adjust changes the arguments; nil means not at all.
	Adjust func(args []string) []string
	// EndsWithContext is for servers that rely on signals killing the process: the component then ends as soon as its
	// context does. The others catch signals and come to an end themselves.
	EndsWithContext bool
}

// New returns a command that hands all its arguments to the server's own.
func New(spec Spec) *cobra.Command {
	return &cobra.Command{
		Use:                spec.Name + " [" + spec.Name + "'s own flags]",
		Short:              spec.Short,
		DisableFlagParsing: true,
		SilenceUsage:       true,
		RunE: func(outer *cobra.Command, args []string) error {
			cmd := spec.New()
			if spec.Adjust != nil {
				args = spec.Adjust(args)
			}
			cmd.SetArgs(args)
			cmd.SilenceErrors = true
			if !spec.EndsWithContext {
				return cli.RunNoErrOutput(cmd)
			}
			ended := make(chan error, 1)
			go func() { ended <- cli.RunNoErrOutput(cmd) }()
			select {
			case err := <-ended:
				return err
			case <-outer.Context().Done():
				return nil
			}
		},
	}
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
