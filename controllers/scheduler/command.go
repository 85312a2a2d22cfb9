package scheduler

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/internal/process"
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
	return process.New(process.Inputs{
		Client: garden, Scheme: scheme, Log: loglevel.Limit(log.Log.WithName(Name), configuration.LogLevel),
		Server: configuration.Server, Election: configuration.LeaderElection,
	})
}
