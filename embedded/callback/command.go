package callback

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"

	"github.com/spf13/cobra"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/tunnel"
)

// Name of the component.
const Name = "callback"

// config is where the component listens.
type config struct {
	ports          map[string]string // host:port by the name of the server
	process, probe string            // host:port
}

// Command is the component that listens in the cluster.
func Command() *cobra.Command {
	c := config{}
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Let programs of a cluster call servers of a landscape outside of the cluster",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), c) },
	}
	cmd.Flags().StringToStringVar(&c.ports, "listen", nil, "name of a server of the landscape, and host:port of the listener that leads to it, as in garden=:8443; may be repeated")
	cmd.Flags().StringVar(&c.process, "landscape-address", "127.0.0.1:9444", "host:port for the connection of the landscape, which is not authenticated: who can connect answers all calls")
	cmd.Flags().StringVar(&c.probe, "health-address", ":8081", "host:port of /healthz, and of /connected, which reports whether the landscape is connected, over plain HTTP")
	_ = cmd.MarkFlagRequired("listen") // fails only for a flag that does not exist
	return cmd
}

// run serves until ctx ends, or until a listener fails.
func run(ctx context.Context, c config) error {
	log := ctrllog.Log.WithName(Name)
	ends := tunnel.NewServer(log)
	var serve []func(context.Context) error
	var opened []net.Listener
	listen := func(address string, with func(context.Context, net.Listener) error) error {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		opened = append(opened, listener)
		serve = append(serve, func(ctx context.Context) error { return with(ctx, listener) })
		return nil
	}
	errs := []error{
		listen(c.process, ends.ServeAgents),
		listen(c.probe, func(ctx context.Context, l net.Listener) error { return tunnel.ServeHTTP(ctx, l, ends.Health()) }),
	}
	for _, name := range slices.Sorted(maps.Keys(c.ports)) {
		errs = append(errs, listen(c.ports[name], newPort(name, ends.Dial, maxConnections, log).serve))
	}
	if err := errors.Join(errs...); err != nil {
		for _, listener := range opened {
			_ = listener.Close()
		}
		return err
	}
	return all(ctx, serve)
}

// all runs the functions until the first one ends, then stops the others and waits for them.
func all(ctx context.Context, serve []func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(serve))
	for _, one := range serve {
		go func() { ended <- one(ctx) }()
	}
	var errs []error
	for range serve {
		errs = append(errs, <-ended)
		cancel()
	}
	return errors.Join(errs...)
}
