package resourcemanager

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// newManager makes the manager of the component.
func newManager(opts *options) (manager.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	sourceConfig, err := opts.source.Client(opts.sourceKubeconfig, rest.DefaultKubernetesUserAgent())
	if err != nil {
		return nil, fmt.Errorf("configure source cluster: %w", err)
	}
	mgr, err := manager.New(sourceConfig, manager.Options{
		Scheme:                  scheme,
		Cache:                   cache.Options{DefaultNamespaces: perNamespace(opts.Namespaces)},
		Metrics:                 metricsserver.Options{BindAddress: opts.metricsAddress},
		HealthProbeBindAddress:  opts.bindAddress,
		LeaderElection:          opts.leaderElect,
		LeaderElectionID:        opts.leaseName,
		LeaderElectionNamespace: opts.leaseNamespace,
		LeaseDuration:           &opts.leaseDuration,
		RenewDeadline:           &opts.renewDeadline,
		RetryPeriod:             &opts.retryPeriod,
		Controller:              controllerconfig.Controller{CacheSyncTimeout: opts.cacheSyncTimeout},
	})
	if err != nil {
		return nil, fmt.Errorf("make manager of the source cluster: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return nil, fmt.Errorf("add health checks: %w", err)
	}
	cfg := opts.Config
	if cfg.Target, err = targetCluster(mgr, opts, scheme); err != nil {
		return nil, err
	}
	return mgr, AddToManager(mgr, cfg)
}

func targetCluster(mgr manager.Manager, opts *options, scheme *runtime.Scheme) (cluster.Cluster, error) {
	if opts.targetKubeconfig == "" {
		return mgr, nil
	}
	config, err := opts.target.Client(opts.targetKubeconfig, rest.DefaultKubernetesUserAgent())
	if err != nil {
		return nil, fmt.Errorf("configure target cluster: %w", err)
	}
	target, err := cluster.New(config, func(o *cluster.Options) { o.Scheme = scheme })
	if err != nil {
		return nil, fmt.Errorf("make client of the target cluster: %w", err)
	}
	if err := mgr.Add(target); err != nil {
		return nil, fmt.Errorf("add target cluster: %w", err)
	}
	return target, nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), resourcesv1alpha1.AddToScheme(scheme), machinev1alpha1.AddToScheme(scheme))
	if err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	return scheme, nil
}

// perNamespace returns nil, which means all namespaces, if there are no names.
func perNamespace(names []string) map[string]cache.Config {
	if len(names) == 0 {
		return nil
	}
	result := make(map[string]cache.Config, len(names))
	for _, name := range names {
		result[name] = cache.Config{}
	}
	return result
}
