// Package kubecommand makes the command of a Kubernetes server a component of this binary, with the same flags, the same
// help and the same shutdown on SIGTERM. It is for the Kubernetes servers below embedded/ only.
package kubecommand

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"

	"github.com/gardener-up/gardener-up/embedded/internal/shownversion"
)

// EnvEmbedded is "true" in processes that an embedded node started. Kubernetes refuses loopback addresses in Endpoints,
// so controllers that write Endpoints are off in these processes.
const EnvEmbedded = "GARDENER_EMBEDDED"

// FlagVersion is the flag of every component for the version that it shows, such as v1.34.2; by default the linked one.
// Kubernetes itself has no such flag.
const FlagVersion = "kubernetes-version"

// Embedded reports whether an embedded node started this process.
func Embedded() bool { return os.Getenv(EnvEmbedded) == "true" }

// Spec of a component.
type Spec struct {
	Name, Short string
	// New makes the command of the server. It is called when the component runs and not before, because making the
	// command changes global state of the process.
	New func() *cobra.Command
	// EndsWithContext is for servers that rely on a signal that kills the process: the component ends with its context.
	// Other servers catch signals and shut down themselves.
	EndsWithContext bool
}

// New returns a command that passes all its arguments to the command of the server.
func New(spec Spec) *cobra.Command {
	return &cobra.Command{
		Use:                spec.Name + " [" + spec.Name + "'s own flags]",
		Short:              spec.Short,
		DisableFlagParsing: true,
		SilenceUsage:       true,
		RunE: func(outer *cobra.Command, args []string) error {
			shown, _, args := Value(args, FlagVersion)
			if err := shownversion.Set(spec.Name, shown); err != nil {
				return err
			}
			cmd := spec.New()
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
