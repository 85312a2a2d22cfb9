package managers

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
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// options are the settings in which managers differ.
type options struct {
	Log           logr.Logger
	Config        *rest.Config // for a user of its own; nil: the config of the shared cluster
	HealthAddress string       // where /healthz and /readyz are served over HTTP; empty: nowhere
	MetricsAddr   string       // where /metrics is served over HTTP; empty: nowhere
}

// newManager makes a manager without leader election, since no other process runs the same controllers. It reads through the
// cache of the cluster, which must run. name is its user agent.
func newManager(name string, shared cluster.Cluster, o options) (manager.Manager, error) {
	config := rest.CopyConfig(shared.GetConfig())
	if o.Config != nil {
		config = rest.CopyConfig(o.Config)
	}
	config.UserAgent = name
	if config.QPS == 0 {
		config.QPS, config.Burst = managerQPS, managerBurst
	}
	settings := o.settings(shared.GetScheme())
	settings.NewCache = func(*rest.Config, cache.Options) (cache.Cache, error) { return &view{Cache: shared.GetCache()}, nil }
	settings.MapperProvider = func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return shared.GetRESTMapper(), nil }
	mgr, err := manager.New(config, settings)
	if err != nil {
		return nil, fmt.Errorf("make manager %q: %w", name, err)
	}
	return &checked{Manager: mgr}, withChecks(mgr)
}

// checked is a manager that knows its readiness checks. A role is ready once they pass, whether or not they are served.
type checked struct {
	manager.Manager
	checks []healthz.Checker
}

// AddReadyzCheck implements manager.Manager.
func (c *checked) AddReadyzCheck(name string, check healthz.Checker) error {
	c.checks = append(c.checks, check)
	return c.Manager.AddReadyzCheck(name, check)
}

// ready returns the first reason for which one of the managers is not ready.
func ready(ctx context.Context, managers []manager.Manager) error {
	for _, mgr := range managers {
		c, ok := mgr.(*checked)
		if !ok {
			continue
		}
		for _, check := range c.checks {
			if err := check((&http.Request{}).WithContext(ctx)); err != nil {
				return err
			}
		}
	}
	return nil
}

// settings are the same for all managers.
func (o options) settings(scheme *runtime.Scheme) manager.Options {
	shutdown, again := 10*time.Second, true
	return manager.Options{
		Scheme: scheme, Logger: o.Log, Metrics: metricsserver.Options{BindAddress: orNowhere(o.MetricsAddr)},
		HealthProbeBindAddress: orNowhere(o.HealthAddress), GracefulShutdownTimeout: &shutdown,
		// Names of controllers are global to the process; a manager that is started again uses its names again.
		Controller: controllerconfig.Controller{SkipNameValidation: &again},
		// What a manager runs logs by the logger of its context.
		BaseContext: func() context.Context { return log.IntoContext(context.Background(), o.Log) },
	}
}

func withChecks(mgr manager.Manager) error {
	synced := func(request *http.Request) error { return synced(request.Context(), mgr) }
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", synced)); err != nil {
		return fmt.Errorf("add checks to manager: %w", err)
	}
	return nil
}

// orNowhere translates an empty address into "0", with which controller-runtime does not serve.
func orNowhere(address string) string {
	if address == "" {
		return "0"
	}
	return address
}
