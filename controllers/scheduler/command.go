package scheduler

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/loglevel"
	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Name is the name of the component and its user agent.
const Name = "gardener-scheduler"

// Command is the scheduler as a component: a process of its own for the garden that the configuration file names. It
// ends with the context of the command.
func Command() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:           "scheduler",
		Short:         "Choose seeds for Shoots",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			configuration, err := config.Load(file)
			if err != nil {
				return err
			}
			mgr, err := newManager(configuration)
			if err != nil {
				return err
			}
			if err := AddToManager(mgr, Config{Configuration: configuration}); err != nil {
				return err
			}
			return mgr.Start(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "file of kind "+config.Kind+"; required")
	_ = cmd.MarkFlagRequired("config") // fails only for a flag that does not exist
	return cmd
}

func newManager(configuration *config.SchedulerConfiguration) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	garden, err := configuration.ClientConnection.Client(configuration.ClientConnection.Kubeconfig, Name)
	if err != nil {
		return nil, fmt.Errorf("configure client of the garden: %w", err)
	}
	options, election := manager.Options{
		Scheme: scheme, Logger: loglevel.Limit(log.Log.WithName(Name), configuration.LogLevel),
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	}, configuration.LeaderElection
	if probes := configuration.Server.HealthProbes; probes != nil {
		options.HealthProbeBindAddress = probes.Address()
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		options.Metrics.BindAddress = metrics.Address()
	}
	if *election.LeaderElect {
		options.LeaderElection, options.LeaderElectionReleaseOnCancel = true, true
		options.LeaderElectionID, options.LeaderElectionNamespace = election.ResourceName, election.ResourceNamespace
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &election.LeaseDuration.Duration, &election.RenewDeadline.Duration, &election.RetryPeriod.Duration
	}
	mgr, err := manager.New(garden, options)
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return nil, fmt.Errorf("add health checks: %w", err)
	}
	return mgr, nil
}
