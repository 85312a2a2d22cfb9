// Package app is the command line of gardener, with one file per verb. It alone sets what is global to the process:
// loggers, the resolver and the pace of the garbage collector.
package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/embedded/userns"
)

// Main runs the command line and returns the exit code of the process.
func Main(args []string) int {
	if err := userns.Await(); err != nil {
		return report(cured(err, `start the landscape with "gardener up"`), newDisplay(), os.Stderr)
	}
	self.SetName("gardener")
	setResolver()
	if !isComponent(args) {
		pflag.CommandLine = pflag.NewFlagSet("gardener", pflag.ContinueOnError) // drop flags that imported packages registered
	}
	shown := newDisplay()
	shown.args = args
	root := newRoot(shown)
	root.SetArgs(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd, err := root.ExecuteContextC(ctx)
	shown.output, shown.server = chosenOutput(cmd), isServer(cmd)
	return report(err, shown, os.Stderr)
}

// isComponent reports whether the arguments may start a server of Kubernetes. Those servers look up global flags to
// make their own.
func isComponent(args []string) bool { return slices.Contains(args, "component") }

func newRoot(shown *display) *cobra.Command {
	global := &globalFlags{display: shown}
	root := &cobra.Command{
		Use:   "gardener",
		Short: "Gardener on one machine: Kubernetes clusters as a service in one process",
		Long: `gardener runs a whole Gardener landscape on this machine: the garden, a seed and the shoots you create.
It needs no container runtime, no root and no downloads.

  gardener up                                   start the landscape and wait until it is ready
  gardener kubeconfig garden > garden.yaml      a kubeconfig for the garden
  gardener kubectl apply -f examples/           create a shoot
  gardener shoot wait local -n garden-local     wait until the shoot is usable
  gardener down                                 stop the landscape; the next "up" brings everything back`,
		Version:          Version,
		SilenceErrors:    true,
		TraverseChildren: true, // flags before "kubectl" are ours, flags after it are kubectl's
		SilenceUsage:     true,
	}
	global.add(root)
	shown.add(root)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp) // only some flags take files
	asGroup(root)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "landscape", Title: "Landscape:"}, &cobra.Group{ID: "use", Title: "Use it:"}, &cobra.Group{ID: "parts", Title: "Parts:"})
	root.AddCommand(
		newUp(global), newRun(global), newPause(global), newResume(global), newDown(global), newService(global), newStatus(global), newLandscapes(global), newBootstrap(global), newGarden(global), newSeed(global), newConfig(global), newLogs(global), newEvents(global),
		newKubeconfig(global), newGardenctlConfig(global), newCredential(global), newShoot(global), newKubectl(global),
		newBackup(global), newMetrics(global), newPart(global), newEtcd(global), newComponent(), newImage(global), newBundle(global), newConvert(shown), newDoctor(global), newSupportBundle(global), newVersion(), newExitCodes(), newMan(global), newDaemon(global), newRemove(),
	)
	refineCompletion(root)
	return root
}

// asPrinter makes a group whose subcommands print what people redirect into a file: its help there would be a success with the wrong content.
func asPrinter(cmd *cobra.Command) *cobra.Command {
	asGroup(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var names []string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		return usageError(fmt.Errorf("%q needs one of %s", cmd.CommandPath(), strings.Join(names, ", ")), fmt.Sprintf("see %q", cmd.CommandPath()+" --help"))
	}
	return cmd
}

// asGroup makes a command that only has subcommands print its help and refuse unknown subcommands.
func asGroup(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := fmt.Sprintf("see %q", cmd.CommandPath()+" --help")
		if meant := similarTo(args[0], cmd); meant != "" {
			hint = fmt.Sprintf("did you mean %q?", meant)
		}
		return usageError(fmt.Errorf("unknown command %q", cmd.CommandPath()+" "+args[0]), hint)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}
