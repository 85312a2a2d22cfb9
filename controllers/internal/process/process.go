// Package process makes the manager of a component that is a process of its own: with leader election, and with servers for health and
// metrics, as its configuration says. Components of a landscape's process have managers that share caches instead.
package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
)

// Inputs of a manager. All fields but Client and Election are required.
type Inputs struct {
	Client *rest.Config
	Scheme *runtime.Scheme
	Log    logr.Logger
	Server componentconfig.Server
	// Election lets several processes elect the one that acts; nil elects nobody.
	Election *componentconfig.LeaderElection
}

// New makes the manager. Its process must end soon after the manager does, because another one may act then. It is healthy while the
// process lives, and ready once its caches are filled, also while another process acts.
func New(in Inputs) (manager.Manager, error) {
	mgr, err := manager.New(in.Client, in.options())
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", synced(mgr))); err != nil {
		return nil, fmt.Errorf("add health checks: %w", err)
	}
	return mgr, nil
}

func (in Inputs) options() manager.Options {
	options := manager.Options{
		Scheme: in.Scheme, Logger: in.Log,
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0", // "0" serves nothing
		Cache: cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	}
	if probes := in.Server.HealthProbes; probes != nil {
		options.HealthProbeBindAddress = probes.Address()
	}
	if metrics := in.Server.Metrics; metrics != nil {
		options.Metrics.BindAddress = metrics.Address()
	}
	if e := in.Election; e != nil && *e.LeaderElect {
		options.LeaderElection, options.LeaderElectionReleaseOnCancel = true, true
		options.LeaderElectionID, options.LeaderElectionNamespace = e.ResourceName, e.ResourceNamespace
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = &e.LeaseDuration.Duration, &e.RenewDeadline.Duration, &e.RetryPeriod.Duration
	}
	return options
}

// synced waits for the caches only a moment.
func synced(mgr manager.Manager) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("caches are not filled yet")
		}
		return nil
	}
}
