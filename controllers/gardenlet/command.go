package gardenlet

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Command is the gardenlet as a component: a process of its own, usually a pod of the seed. It ends with the context of the
// command.
func Command(version string) *cobra.Command {
	var file string
	var privateNetworks []string
	cmd := &cobra.Command{
		Use:           "gardenlet",
		Short:         "Act for a Seed",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			configuration, err := config.Load(file)
			if err != nil {
				return err
			}
			ctx := log.IntoContext(cmd.Context(), loglevel.Limit(log.Log.WithName(Name), configuration.LogLevel))
			return run(ctx, configuration, version, privateNetworks)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "file of kind "+config.Kind+"; required")
	cmd.Flags().StringSliceVar(&privateNetworks, "private-networks", nil, "private networks in which servers that users of shoots name may be")
	_ = cmd.MarkFlagRequired("config") // fails only for a flag that does not exist
	return cmd
}

func run(ctx context.Context, configuration *config.GardenletConfiguration, version string, privateNetworks []string) error {
	gardenScheme, seedScheme := runtime.NewScheme(), runtime.NewScheme()
	if err := errors.Join(install.AddGarden(gardenScheme), install.AddSeed(seedScheme)); err != nil {
		return fmt.Errorf("build scheme: %w", err)
	}
	inSeed, err := configuration.SeedClientConnection.Client(configuration.SeedClientConnection.Kubeconfig, Name)
	if err != nil {
		return fmt.Errorf("configure client of the seed: %w", err)
	}
	seedClient, err := client.New(inSeed, client.Options{Scheme: seedScheme})
	if err != nil {
		return fmt.Errorf("make client of the seed: %w", err)
	}
	if err := seed.InstallCRDs(ctx, seedClient); err != nil {
		return err
	}
	inGarden, access, err := bootstrap.Connect(ctx, bootstrap.Inputs{
		Name: configuration.SeedConfig.Name, Seed: seedClient, Connection: configuration.GardenClientConnection, Clock: clock.RealClock{},
	})
	if err != nil {
		return connectError(configuration.SeedConfig.Name, err)
	}
	if err := checkGarden(ctx, configuration.SeedConfig.Name, inGarden); err != nil {
		return err
	}
	limits := configuration.GardenClientConnection
	inGarden.UserAgent, inGarden.QPS, inGarden.Burst = Name, limits.QPS, int(limits.Burst)
	garden, err := manager.New(inGarden, gardenOptions(ctx, gardenScheme, configuration))
	if err != nil {
		return fmt.Errorf("make manager of the garden: %w", err)
	}
	seedManager, err := manager.New(inSeed, manager.Options{
		Scheme: seedScheme, Logger: log.FromContext(ctx), Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	})
	if err != nil {
		return fmt.Errorf("make manager of the seed: %w", err)
	}
	cfg := Config{
		Seed: seedManager, Configuration: configuration, Identity: identityOf(version), OwnProcess: true, FrontDoorInSeed: true, ResourceManager: true,
		Access: exposure.Access{Tunnel: true, FrontDoorAddress: ptr.Deref(configuration.SNI.Ingress.ServiceExternalIP, ""), PrivateNetworks: privateNetworks},
	}
	if access != nil {
		found := access.Garden()
		found.Latest = func() ([]byte, error) { return access.Garden().CA, nil }
		cfg.Credentials, cfg.Garden = access, &found
	}
	if err := errors.Join(AddToManager(garden, cfg), garden.Add(seedManager)); err != nil {
		return err
	}
	return garden.Start(ctx)
}

// gardenOptions serve the probes of the configuration's server elsewhere.
func gardenOptions(ctx context.Context, scheme *runtime.Scheme, configuration *config.GardenletConfiguration) manager.Options {
	options := manager.Options{
		Scheme: scheme, Logger: log.FromContext(ctx), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache:  GardenCache(configuration.SeedConfig.Name),
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: GardenUncached()}},
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		options.Metrics.BindAddress = metrics.Address()
	}
	return options
}

func identityOf(version string) gardencorev1beta1.Gardener {
	host, err := os.Hostname()
	if err != nil {
		host = Name
	}
	return gardencorev1beta1.Gardener{ID: host, Name: host, Version: version}
}
