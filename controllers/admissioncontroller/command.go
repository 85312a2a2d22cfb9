package admissioncontroller

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/config"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/serving"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// options are the flags of the component.
type options struct {
	file         string
	url, service string
	clientCA     string
	caller       string
	trusted      []string
}

// Command is the admission controller as a component: a process of its own for the garden that the configuration file
// names. It registers its webhooks itself. It ends with the context of the command.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:           "admission-controller",
		Short:         "Check requests to the garden, and authorize requests of gardenlets",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.file, "config", "", "file of kind "+config.Kind+"; required")
	flags.StringVar(&o.url, "webhook-url", "", "https://host:port by which API servers reach it; empty means the configured address")
	flags.StringVar(&o.service, "webhook-service", "", "Service for the same, <namespace>/<name>[:<port>]")
	flags.StringVar(&o.clientCA, "client-ca-file", "", "CA of the certificates with which API servers ask for authorizations; empty accepts everybody")
	flags.StringVar(&o.caller, "client-name", "kube-apiserver", "common name in the certificate of API servers, if --client-ca-file is set")
	flags.StringSliceVar(&o.trusted, "trusted-user", nil, "users whose requests are not checked")
	_ = cmd.MarkFlagRequired("config") // fails only for a flag that does not exist
	return cmd
}

func (o options) run(ctx context.Context) error {
	configuration, err := config.Load(o.file)
	if err != nil {
		return err
	}
	certificates := configuration.Server.Webhooks.TLS.ServerCertDir
	if certificates == "" {
		return errors.New("server.webhooks.tls.serverCertDir is required")
	}
	reach := Reach{URL: o.url, CAFile: filepath.Join(certificates, "ca.crt"), CertFile: filepath.Join(certificates, "tls.crt")}
	if reach.Service, err = webhook.ParseService(o.service); err != nil {
		return err
	}
	if reach.URL == "" {
		reach.URL = "https://" + configuration.Server.Webhooks.Address()
	}
	server := &serving.Server{
		Address: configuration.Server.Webhooks.Address(), CertFile: reach.CertFile, KeyFile: filepath.Join(certificates, "tls.key"), ClientCAFile: o.clientCA,
	}
	cfg := Config{Configuration: configuration, Server: server, Reach: reach.Config, Trusted: o.trusted}
	if o.clientCA != "" {
		cfg.Callers = &serving.Callers{Name: o.caller, Groups: []string{"system:masters"}}
	}
	mgr, err := newManager(configuration)
	if err != nil {
		return err
	}
	if err := errors.Join(AddToManager(mgr, cfg), mgr.Add(everywhere{manager.RunnableFunc(server.Run)})); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func newManager(configuration *config.AdmissionControllerConfiguration) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	garden, err := configuration.GardenClientConnection.Client(configuration.GardenClientConnection.Kubeconfig, Name)
	if err != nil {
		return nil, fmt.Errorf("configure client of the garden: %w", err)
	}
	options := manager.Options{
		Scheme: scheme, Logger: loglevel.Limit(log.Log.WithName(Name), configuration.LogLevel),
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache: cache.Options{DefaultTransform: slim},
	}
	if probes := configuration.Server.HealthProbes; probes != nil {
		options.HealthProbeBindAddress = probes.Address()
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		options.Metrics.BindAddress = metrics.Address()
	}
	mgr, err := manager.New(garden, options)
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("add health check: %w", err)
	}
	return mgr, nil
}
