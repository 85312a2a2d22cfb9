// Package operator composes the controllers and webhooks of a Garden. They reach the runtime cluster and the virtual garden. What runs
// the components of the Garden is given as a host.
package operator

import (
	"errors"
	"fmt"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/controllers/operator/admission"
	"github.com/gardener-up/gardener-up/controllers/operator/config"
	"github.com/gardener-up/gardener-up/controllers/operator/garden"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/care"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/reference"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/rotation"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Config of the operator. Fields without a comment about their zero value are required.
type Config struct {
	// Configuration must have its defaults set.
	Configuration *config.OperatorConfiguration
	// Host runs the components of the Garden.
	Host host.Host
	// Virtual is the access of an administrator to the virtual garden.
	Virtual host.Connect
	// VirtualClient is a client with the same access, which knows the kinds of Gardener. It may be nil if the host rotates no credentials.
	VirtualClient client.Client
	// Authority signs for all webhooks in the runtime cluster.
	Authority authority.Authority
	// InLandscape means that this process runs more than the operator, and decides how both clusters are reached.
	InLandscape bool
	// Way is how the API servers of the runtime cluster call the webhooks; the zero value is for those on the same machine.
	Way webhook.Way
}

// AddToManager adds the operator to the manager of the runtime cluster.
func AddToManager(mgr manager.Manager, cfg Config) error {
	keys := cfg.Configuration.WithoutEffect()
	if cfg.InLandscape {
		keys = append(keys, cfg.Configuration.OfProcess()...)
	}
	effect.Log(mgr.GetLogger(), keys)
	controllers, runtime, reader, now, one := cfg.Configuration.Controllers, mgr.GetClient(), mgr.GetAPIReader(), clock.RealClock{}, workers.Insistent(1)
	gardens := &garden.Reconciler{
		Runtime: runtime, Host: cfg.Host, Clock: now,
		SyncPeriod: controllers.Garden.SyncPeriod.Duration, ComponentTimeout: garden.ComponentTimeout,
		Authority: cfg.Authority,
		Access:    access.Access{Runtime: runtime, Reader: reader, Virtual: cfg.Virtual},
		Password:  observability.Password{Runtime: runtime, Reader: reader, Clock: now},
		Users:     rotation.Users{Runtime: runtime, Reader: reader, Virtual: cfg.VirtualClient},
	}
	rules := admission.Config{Host: garden.Rules(cfg.Host), HeldUp: gardens.HeldUp, Way: cfg.Way, Certificates: cfg.Authority}
	if err := admission.AddToManager(mgr, rules); err != nil {
		return err
	}
	checks := &care.Reconciler{
		Runtime: runtime, Virtual: cfg.Virtual, Components: cfg.Host.Components, Clock: now,
		Period: controllers.GardenCare.SyncPeriod.Duration, Thresholds: controllers.GardenCare.Thresholds(),
	}
	references := &reference.Reconciler{Client: runtime, Reader: reader}
	if err := errors.Join(gardens.AddToManager(mgr, one), checks.AddToManager(mgr, one), references.AddToManager(mgr, one)); err != nil {
		return fmt.Errorf("add operator of the Garden: %w", err)
	}
	return nil
}
