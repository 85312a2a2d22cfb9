package seed

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Component is the name of Command.
const Component = "seed-admission-controller"

// Command runs the admission controller as a component. It logs to the logger of its context.
func Command(around incluster.Surroundings) *cobra.Command {
	var (
		cfg                Config
		kubeconfig, health string
		service            string
	)
	cmd := &cobra.Command{
		Use:           Component,
		Short:         "Refuse unconfirmed deletions in a seed, and assign control planes to their scheduler",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if cfg.Service, err = webhook.ParseService(service); err != nil {
				return err
			}
			mgr, err := newManager(cmd.Context(), around, kubeconfig, health)
			if err != nil {
				return err
			}
			if err := AddToManager(mgr, cfg); err != nil {
				return err
			}
			return mgr.Start(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig of the seed; empty means the pod's own service account")
	flags.StringVar(&cfg.BindAddress, "bind-address", ":10250", "address of the webhook server")
	flags.StringVar(&cfg.URL, "webhook-url", "", "https://host:port by which API servers reach it; empty means the address it listens on")
	flags.StringVar(&service, "webhook-service", "", "Service for the same, <namespace>/<name>[:<port>]")
	flags.StringVar(&cfg.Namespace, "namespace", "garden", "namespace of the Secret with its certificates")
	flags.BoolVar(&cfg.Scheduler, "gardener-kube-scheduler", false, "assign pods of control planes to "+SchedulerName)
	flags.StringVar(&health, "health-bind-address", ":8081", "address of the health endpoint")
	return cmd
}

func newManager(ctx context.Context, around incluster.Surroundings, kubeconfig, health string) (manager.Manager, error) {
	config, err := restConfig(around, kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("configure seed: %w", err)
	}
	logger := log.FromContext(ctx)
	mgr, err := manager.New(config, manager.Options{
		Logger: logger, BaseContext: func() context.Context { return log.IntoContext(context.Background(), logger) },
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: health,
	})
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("add health check: %w", err)
	}
	return mgr, nil
}

func restConfig(around incluster.Surroundings, kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		config, _, err := around.Config()
		return config, err
	}
	return clientcmd.BuildConfigFromFlags("", around.File(kubeconfig))
}
