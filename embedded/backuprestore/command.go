package backuprestore

import (
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// Component is the name of the component.
const Component = "backup-restore"

// Command is the component. guard applies rules to all requests of the process, before the first one to an object store. It is
// guardeddial.Rules.GuardProcess, but for tests that have object stores at this machine.
func Command(guard func(guardeddial.Rules) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Component,
		Short: "Run a member of an etcd with backups, and work with its snapshots",
	}
	cmd.AddCommand(serveCommand(guard), copyCommand(guard), compactCommand(guard))
	return cmd
}
