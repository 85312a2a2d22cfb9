package controllermanager

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	"github.com/gardener-up/gardener-up/controllers/internal/prefixes"
	"github.com/gardener-up/gardener-up/controllers/internal/process"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Command is the controller manager as a component: a process of its own for the garden that the configuration file names. It ends
// with the context of the command. guard connects to servers that users name, of which those in the given private networks are allowed.
func Command(guard func(private []netip.Prefix) func(ctx context.Context, network, address string) (net.Conn, error)) *cobra.Command {
	var file string
	var privateNetworks []string
	cmd := &cobra.Command{
		Use:           component,
		Aliases:       []string{"controller-manager"}, // as the other components of a garden are called
		Short:         "Look after Projects, Seeds, Shoots and registrations in the garden",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			configuration, err := config.Load(file)
			if err != nil {
				return err
			}
			private, err := prefixes.Parse("private-networks", privateNetworks)
			if err != nil {
				return err
			}
			mgr, err := newManager(configuration)
			if err != nil {
				return err
			}
			if err := AddToManager(mgr, Config{Configuration: configuration, Dial: guard(private)}); err != nil {
				return err
			}
			return mgr.Start(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "file of kind "+config.Kind+"; required")
	cmd.Flags().StringSliceVar(&privateNetworks, "private-networks", nil, "private networks in which servers that users name may be")
	_ = cmd.MarkFlagRequired("config") // fails only for a flag that does not exist
	return cmd
}

func newManager(configuration *config.ControllerManagerConfiguration) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	garden, err := configuration.GardenClientConnection.Client(configuration.GardenClientConnection.Kubeconfig, component)
	if err != nil {
		return nil, fmt.Errorf("configure client of the garden: %w", err)
	}
	return process.New(process.Inputs{
		Client: garden, Scheme: scheme, Log: loglevel.Limit(log.Log.WithName(component), configuration.LogLevel),
		Server: configuration.Server.Server, Election: configuration.LeaderElection,
	})
}
