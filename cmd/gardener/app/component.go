package app

import (
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
)

// newComponent collects the servers that can be started alone. Pods of the appliance image run them.
func newComponent() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "component",
		GroupID: "parts",
		Short:   "Run one of the servers this binary contains",
		Long: `Run one of the servers this binary contains, with its own flags and in the foreground.
Pods of shoot control planes do that; it helps with debugging, too.`,
	}
	cmd.AddCommand(
		etcd.Command(),
		kubeapi.Command(),
	)
	return cmd
}
