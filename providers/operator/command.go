package operator

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/incluster"
)

// Command is the command line of an extension, with the flags of Options. around is the zero value for a process of its own. parts is called
// after the flags were read. The command logs to the logger of its context.
func Command(name, short string, around incluster.Surroundings, parts func() []Part) *cobra.Command {
	var kubeconfig string
	options := Options{Name: name}
	cmd := &cobra.Command{
		Use:           name,
		Short:         short,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if kubeconfig == "" {
				options.Config, _, err = around.Config()
			} else {
				options.Config, err = clientcmd.BuildConfigFromFlags("", around.File(kubeconfig))
			}
			if err != nil {
				return fmt.Errorf("configure seed: %w", err)
			}
			options.Log = log.FromContext(cmd.Context())
			return Run(cmd.Context(), options, parts()...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig of the seed; empty means the pod's own service account")
	flags.StringVar(&options.HealthAddress, "health-bind-address", ":8081", "address of the health endpoint")
	flags.StringVar(&options.MetricsAddress, "metrics-bind-address", "0", "address of the metrics; 0 serves none")
	flags.StringVar(&options.LeaderNamespace, "leader-election-namespace", "", "namespace of the Lease of the leader; empty means that there is one replica only")
	return cmd
}
