package operator

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/providers/healthcheck"
	"github.com/gardener-up/gardener-up/providers/reconcile"
	"github.com/gardener-up/gardener-up/providers/shootwebhook"
	"github.com/gardener-up/gardener-up/providers/webhook"
)

// Options of the process.
type Options struct {
	// Name of the extension, for its leader.
	Name string
	// Config to reach the seed.
	Config *rest.Config
	// HealthAddress serves /healthz and /readyz, MetricsAddress serves /metrics. "0" or nothing serves none.
	HealthAddress, MetricsAddress string
	// LeaderNamespace has the Lease of the leader. Without it every replica works, so there must be one only.
	LeaderNamespace string
	// Log of the process.
	Log logr.Logger
}

// Part adds something to the manager of the seed.
type Part func(manager.Manager) error

// Kind reconciles the extension objects of one kind. make gets a client, whose reads come from a cache but those of Secrets, and a reader without one.
func Kind[T reconcile.Object[E], E any](make func(client.Client, client.Reader) reconcile.Options[T]) Part {
	return func(mgr manager.Manager) error { return reconcile.Add(mgr, make(mgr.GetClient(), mgr.GetAPIReader())) }
}

// Health keeps a condition of the extension objects of one kind.
func Health[T reconcile.Object[E], E any](make func(client.Client, client.Reader) healthcheck.Options[T]) Part {
	return func(mgr manager.Manager) error {
		return healthcheck.Add(mgr, make(mgr.GetClient(), mgr.GetAPIReader()))
	}
}

// ControlPlanes changes what the gardenlet writes for control planes.
func ControlPlanes(options webhook.Options) Part {
	return func(mgr manager.Manager) error { return webhook.Add(mgr, options) }
}

// ShootWebhooks serves webhooks for objects in shoots that have an object of the kind T, and registers them there.
func ShootWebhooks[T reconcile.Object[E], E any](options shootwebhook.Options[T], at shootwebhook.Serving) Part {
	return func(mgr manager.Manager) error {
		return errors.Join(options.Serve(mgr, at), shootwebhook.Add(mgr, options))
	}
}

// Run runs the parts until ctx ends or one of them fails. A mistake in a part is reported before anything starts.
func Run(ctx context.Context, options Options, parts ...Part) error {
	mgr, err := newManager(options)
	if err != nil {
		return fmt.Errorf("make manager of %s: %w", options.Name, err)
	}
	for _, add := range parts {
		err = errors.Join(err, add(mgr))
	}
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func newManager(options Options) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, err
	}
	metrics := options.MetricsAddress
	if metrics == "" {
		metrics = "0" // the default of the library is a port on all addresses
	}
	mgr, err := manager.New(options.Config, manager.Options{
		Scheme: scheme, Logger: options.Log, BaseContext: func() context.Context { return log.IntoContext(context.Background(), options.Log) },
		Metrics: metricsserver.Options{BindAddress: metrics}, HealthProbeBindAddress: options.HealthAddress,
		LeaderElection: options.LeaderNamespace != "", LeaderElectionNamespace: options.LeaderNamespace, LeaderElectionID: options.Name + "-leader-election",
		LeaderElectionReleaseOnCancel: true,
		// A cache would hold all Secrets of the seed, and need the right to read them.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return nil, err
	}
	return mgr, errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping))
}
