package appliance

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Limits of the controllers' clients; the API servers are in the same process.
const managerQPS, managerBurst = 200, 400

// newManager makes a manager without ports and leader election, since this process is alone. name is its user agent.
func (a *appliance) newManager(name string, config *rest.Config, scheme *runtime.Scheme) (manager.Manager, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst, config.UserAgent = managerQPS, managerBurst, name
	shutdown, again := 10*time.Second, true
	mgr, err := manager.New(config, manager.Options{
		Scheme: scheme, Logger: a.Log.WithName(name), Metrics: metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0", GracefulShutdownTimeout: &shutdown,
		Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		// Names of controllers are global to the process; a manager that is started again uses its names again.
		Controller: controllerconfig.Controller{SkipNameValidation: &again},
	})
	if err != nil {
		return nil, fmt.Errorf("make manager %q: %w", name, err)
	}
	return mgr, nil
}

// schemeOf makes a scheme for clients.
func schemeOf(add func(*runtime.Scheme) error) (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := add(scheme); err != nil {
		return nil, fmt.Errorf("make scheme: %w", err)
	}
	return scheme, nil
}

// uncachedClient is for steps before the managers run.
func uncachedClient(config *rest.Config, add func(*runtime.Scheme) error) (client.Client, error) {
	scheme, err := schemeOf(add)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = managerQPS, managerBurst
	return client.New(config, client.Options{Scheme: scheme})
}

// runManagers runs managers until ctx ends or one of them does.
func runManagers(ctx context.Context, managers ...manager.Manager) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(managers))
	for _, mgr := range managers {
		go func() { ended <- mgr.Start(ctx) }()
	}
	first := <-ended
	cancel()
	for range len(managers) - 1 {
		if err := <-ended; first == nil {
			first = err
		}
	}
	return first
}
