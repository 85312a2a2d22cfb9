package shootwebhook

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/operator"
	"github.com/gardener-up/gardener-up/providers/shootwebhook"
)

// Component is the name of Command.
const Component = "provider-local-webhook"

// Command serves the webhooks. It logs to the logger of its context.
func Command(around incluster.Surroundings) *cobra.Command {
	var (
		at       shootwebhook.Serving
		machines string
	)
	cmd := operator.Command(Component, "Serve the webhooks of the provider local for objects in shoots", around, func() []operator.Part {
		return []operator.Part{func(mgr manager.Manager) error { return Webhooks(api.MachineRuntime(machines)).Serve(mgr, at) }}
	})
	flags := cmd.Flags()
	flags.StringVar(&at.BindAddress, "bind-address", ":10250", "address of the webhook server")
	flags.StringVar(&machines, "machines", string(api.Pods), "what the machines of the seed's shoots are")
	return cmd
}
