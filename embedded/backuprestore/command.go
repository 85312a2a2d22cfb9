package backuprestore

import "github.com/spf13/cobra"

// Component is the name of the component.
const Component = "backup-restore"

// Command is the component.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   Component,
		Short: "Run a member of an etcd with backups, and work with its snapshots",
	}
	cmd.AddCommand(serveCommand(), copyCommand())
	return cmd
}
