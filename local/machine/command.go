package machine

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/local/machine/name"
)

// Command is the component machine. It boots an embedded machine and then becomes its kubelet in the same process,
// so that the pod's runtime sees the kubelet start, run and end.
func Command() *cobra.Command {
	o, namespace, pod := Options{}, "", ""
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "Boot an embedded machine from its user data and become its kubelet",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			machine, isMachine := strings.CutPrefix(pod, podPrefix)
			if !isMachine {
				return fmt.Errorf("pod %q is no machine: its name does not begin with %q", pod, podPrefix)
			}
			o.NodeName, o.ProviderID = name.OfNode(machine), name.ProviderID(namespace, machine)
			args, err := Prepare(o)
			if err != nil {
				return fmt.Errorf("boot machine %s: %w", o.NodeName, err)
			}
			binary, err := self.Path()
			if err != nil {
				return err
			}
			argv := append([]string{"gardener", "component", "kubelet"}, args...)
			if err := syscall.Exec(binary, argv, os.Environ()); err != nil {
				return fmt.Errorf("become the kubelet: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.UserData, "user-data", "", "file with the document to boot from")
	flags.StringVar(&o.Root, "root", "", "directory that stands for the machine's file system")
	flags.StringVar(&namespace, "namespace", "", "namespace of the pod")
	flags.StringVar(&pod, "pod", "", "name of the pod, which names the machine")
	flags.StringVar(&o.NodeIP, "node-ip", "", "address of the node")
	for _, flag := range []string{"user-data", "root", "namespace", "pod", "node-ip"} {
		if err := cmd.MarkFlagRequired(flag); err != nil {
			panic(err) // a flag that was not declared above
		}
	}
	return cmd
}
