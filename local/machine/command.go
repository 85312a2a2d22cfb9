package machine

import (
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"
)

// Command is the component machine. It boots an embedded machine and then becomes its kubelet in the same process,
// so that the pod's runtime sees the kubelet start, run and end.
func Command() *cobra.Command {
	o := Options{}
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "Boot an embedded machine from its user data and become its kubelet",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			args, err := Prepare(o)
			if err != nil {
				return fmt.Errorf("boot machine %s: %w", o.NodeName, err)
			}
			binary, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this binary: %w", err)
			}
			argv := append([]string{binary, "component", "kubelet"}, args...)
			if err := syscall.Exec(binary, argv, os.Environ()); err != nil {
				return fmt.Errorf("become the kubelet: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.UserData, "user-data", "", "file with the document to boot from")
	flags.StringVar(&o.Root, "root", "", "directory that stands for the machine's file system")
	flags.StringVar(&o.NodeName, "node-name", "", "name of the node")
	flags.StringVar(&o.ProviderID, "provider-id", "", "provider ID of the node")
	flags.StringVar(&o.NodeIP, "node-ip", "", "address of the node")
	for _, name := range []string{"user-data", "root", "node-name", "provider-id", "node-ip"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that was not declared above
		}
	}
	return cmd
}
