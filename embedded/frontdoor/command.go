package frontdoor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/incluster"
)

// commandName is the name of the component.
const commandName = "front-door"

// stopTimeout is how long connections may take to close.
const stopTimeout = 10 * time.Second

// Command is the front door as a component. As a pod of a seed it routes by the seed's VirtualServices. With fixed routes alone it asks no
// cluster.
func Command() *cobra.Command {
	var (
		kubeconfig    string
		addresses     []string
		tunnel, proxy string
		gateways      map[string]string
		routes        map[string]string
		services      bool
	)
	cmd := &cobra.Command{
		Use:   commandName,
		Short: "Route TLS connections by server name to the API servers of a seed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config := Config{
				Name: commandName, Addresses: addresses, TunnelAddress: tunnel, ProxyAddress: proxy, Routes: routes, Log: ctrllog.Log.WithName(commandName),
			}
			if len(routes) > 0 && kubeconfig == "" {
				if tunnel != "" || proxy != "" {
					return errors.New("--tunnel-address and --proxy-protocol-address need a cluster, and so --kubeconfig beside --route")
				}
				return run(cmd.Context(), config)
			}
			cluster, err := clientConfig(kubeconfig)
			if err != nil {
				return err
			}
			if config, err = ofCluster(cluster, config, gateways, services); err != nil {
				return err
			}
			return run(cmd.Context(), config)
		},
	}
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig of the cluster with the VirtualServices (default: the pod's service account, or no cluster if there are fixed routes)")
	cmd.Flags().StringSliceVar(&addresses, "bind-address", []string{":443"}, "host:port of each listener that routes by server name")
	cmd.Flags().StringVar(&tunnel, "tunnel-address", "", "host:port of the listener for tunnels of shoots; none if empty")
	cmd.Flags().StringVar(&proxy, "proxy-protocol-address", "", "host:port of the listener for connections with a PROXY protocol header; none if empty")
	cmd.Flags().StringToStringVar(&gateways, "gateway-selector", nil, "serve only shoots whose Gateway has exactly this selector, at all listeners (default: all shoots)")
	cmd.Flags().StringToStringVar(&routes, "route", nil, "fixed route from a server name, which may begin with \"*.\", to host:port; it takes precedence over the cluster")
	cmd.Flags().BoolVar(&services, "service-names", true, "also route the names of the Services of all API servers")
	return cmd
}

func clientConfig(kubeconfig string) (*rest.Config, error) {
	if kubeconfig != "" {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
		return config, nil
	}
	config, _, err := incluster.Config()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	return config, nil
}

// ofCluster returns the configuration with the routes of a cluster.
func ofCluster(cluster *rest.Config, config Config, gateways map[string]string, services bool) (Config, error) {
	virtualServices, err := NewVirtualServices(cluster, config.Log)
	if err != nil {
		return config, err
	}
	if len(gateways) > 0 {
		config.Serves = virtualServices.Of(gateways).Serves
	}
	config.Sources = []RouteSource{virtualServices}
	if services {
		config.Sources = append(config.Sources, Services{})
	}
	if config.Alternatives, err = NewEndpoints(cluster); err != nil {
		return config, err
	}
	if config.ProxyAddress != "" {
		config.Services, err = NewServiceAddresses(cluster)
	}
	return config, err
}

// run serves until ctx ends.
func run(ctx context.Context, config Config) error {
	server := New(config)
	if err := server.Start(ctx); err != nil {
		return err
	}
	select {
	case <-server.Done():
		return server.Err()
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return server.Stop(ctx)
}
