package frontdoor

import (
	"context"
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

// Command is the front door as a component: a pod of a seed that routes according to its VirtualServices.
func Command() *cobra.Command {
	var (
		kubeconfig string
		addresses  []string
	)
	cmd := &cobra.Command{
		Use:   commandName,
		Short: "Route TLS connections by server name to the API servers of a seed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := clientConfig(kubeconfig)
			if err != nil {
				return err
			}
			return run(cmd.Context(), config, addresses)
		},
	}
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig of the cluster with the VirtualServices (default: the pod's service account)")
	cmd.Flags().StringSliceVar(&addresses, "bind-address", []string{":443"}, "host:port of each listener")
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

func run(ctx context.Context, config *rest.Config, addresses []string) error {
	log := ctrllog.Log.WithName(commandName)
	virtualServices, err := NewVirtualServices(config, log)
	if err != nil {
		return err
	}
	server := New(Config{Name: commandName, Addresses: addresses, Sources: []RouteSource{virtualServices, Services{}}, Log: log})
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
