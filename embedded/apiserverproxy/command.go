package apiserverproxy

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/spf13/cobra"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Name of the component.
const Name = "apiserver-proxy"

// Command is the component: a pod in the network of every node of a shoot.
func Command() *cobra.Command {
	var (
		address  string
		upstream string
	)
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Pass connections for the API server of a shoot on to the seed, on a node",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			parsed, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("--address: %w", err)
			}
			if err := takeAddress(parsed.Addr()); err != nil {
				return err
			}
			listener, err := net.Listen("tcp", parsed.String())
			if err != nil {
				return fmt.Errorf("listen for API clients: %w", err)
			}
			proxy := &Proxy{Address: parsed, Upstream: upstream, Log: ctrllog.Log.WithName(Name)}
			return proxy.Serve(cmd.Context(), listener.(*net.TCPListener))
		},
	}
	cmd.Flags().StringVar(&address, "address", "", "host:port that the API server advertises")
	cmd.Flags().StringVar(&upstream, "upstream", "", "host:port of the seed's front door for the PROXY protocol")
	for _, name := range []string{"address", "upstream"} {
		_ = cmd.MarkFlagRequired(name) // fails only for a flag that does not exist
	}
	return cmd
}
