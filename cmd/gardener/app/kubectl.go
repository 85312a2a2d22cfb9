package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd"
)

// newKubectl is kubectl itself, so that one file is enough. Without a kubeconfig of the user's choice it speaks to the
// garden. Its hundred commands are built only when they are needed.
func newKubectl(global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use: "kubectl", GroupID: "use", Short: "Run kubectl, by default against the garden",
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag().WithDiscoveryBurst(300).WithDiscoveryQPS(50)
			kubectl := cmd.NewKubectlCommand(cmd.KubectlOptions{
				ConfigFlags: flags,
				Arguments:   append([]string{"kubectl"}, args...),
				IOStreams:   genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
			})
			before := kubectl.PersistentPreRunE
			kubectl.PersistentPreRunE = func(c *cobra.Command, args []string) error {
				if *flags.KubeConfig == "" && os.Getenv("KUBECONFIG") == "" {
					l, err := global.load(nil)
					if err != nil {
						return err
					}
					if _, err := l.running(); err != nil {
						return err
					}
					*flags.KubeConfig = l.paths.Kubeconfig(gardenKubeconfig)
				}
				return before(c, args)
			}
			kubectl.SetArgs(args)
			signal.Reset(os.Interrupt, syscall.SIGTERM) // kubectl expects them to end the process, where it does not handle them
			return kubectl.ExecuteContext(context.WithoutCancel(c.Context()))
		},
	}
}
