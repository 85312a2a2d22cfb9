package nodeinit

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Name is the name of the component.
const Name = "node-init"

// Command is the component node-init. The operating system of the machine runs it.
func Command(apply Apply) *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Boot a machine that is a container from its user data",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.boot(cmd.Context(), apply) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.userData, "user-data", "", "file with the document to boot from")
	flags.StringVar(&o.applied, "unless-applied", "/var/lib/gardener-node-agent/last-applied-osc.yaml", "file that tells, by existing, that the user data is outdated")
	flags.StringVar(&o.nodeName, "node-name", "", "name of the node")
	flags.StringVar(&o.providerID, "provider-id", "", "provider ID of the node")
	for _, name := range []string{"user-data", "node-name", "provider-id"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that was not declared above
		}
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "sysctl",
		Short: "Apply the kernel settings that a container has for itself",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return applySettings(sysctlDir, procDir, log.Log.WithName(Name))
		},
	})
	return cmd
}
