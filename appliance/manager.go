package appliance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Limits of the controllers' clients; the API servers are in the same process.
const managerQPS, managerBurst = 200, 400

// managerOptions are those in which managers differ; the zero value is right for most.
type managerOptions struct {
	Config        *rest.Config // of a user of its own; nil: that of the shared cluster
	Log           *logr.Logger // nil: that of the landscape with the manager's name
	HealthAddress string       // where /healthz and /readyz are served over HTTP; empty: nowhere
	MetricsAddr   string       // where /metrics is served over HTTP; empty: nowhere
}

// newManager makes a manager without leader election, since this process is alone. It reads through the cache of the
// cluster, which has to run. name is its user agent.
func (a *appliance) newManager(name string, shared cluster.Cluster, options managerOptions) (manager.Manager, error) {
	config := rest.CopyConfig(shared.GetConfig())
	if options.Config != nil {
		config = rest.CopyConfig(options.Config)
	}
	config.UserAgent = name
	if config.QPS == 0 {
		config.QPS, config.Burst = managerQPS, managerBurst
	}
	log := a.Log.WithName(name)
	if options.Log != nil {
		log = *options.Log
	}
	shutdown, again := 10*time.Second, true
	mgr, err := manager.New(config, manager.Options{
		Scheme: shared.GetScheme(), Logger: log, Metrics: metricsserver.Options{BindAddress: orNowhere(options.MetricsAddr)},
		HealthProbeBindAddress: orNowhere(options.HealthAddress), GracefulShutdownTimeout: &shutdown,
		NewCache:       func(*rest.Config, cache.Options) (cache.Cache, error) { return &view{Cache: shared.GetCache()}, nil },
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return shared.GetRESTMapper(), nil },
		// Names of controllers are global to the process; a manager that is started again uses its names again.
		Controller: controllerconfig.Controller{SkipNameValidation: &again},
	})
	if err != nil {
		return nil, fmt.Errorf("make manager %q: %w", name, err)
	}
	synced := func(request *http.Request) error { return synced(request.Context(), mgr) }
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", synced)); err != nil {
		return nil, fmt.Errorf("make manager %q: %w", name, err)
	}
	return mgr, nil
}

// orNowhere is how controller-runtime is told to serve nothing.
func orNowhere(address string) string {
	if address == "" {
		return "0"
	}
	return address
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

// runAll runs managers or clusters until ctx ends or one of them does.
func runAll[R interface{ Start(context.Context) error }](ctx context.Context, all ...R) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(all))
	for _, one := range all {
		go func() { ended <- one.Start(ctx) }()
	}
	first := <-ended
	cancel()
	for range len(all) - 1 {
		if err := <-ended; first == nil {
			first = err
		}
	}
	return first
}
