package managers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardens"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
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
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Garden is what the operator needs to know of the landscape.
type Garden struct {
	// Values of the Garden, without those about the runtime cluster.
	Values gardens.Values
	// Host describes this process. ownResourceManager says whether it is the resource manager of the runtime cluster.
	Host func(ownResourceManager bool) (host.Host, error)
}

// gardenOperator reconciles the Garden, whose object is in the runtime cluster, and writes it first.
func (f *First) gardenOperator(_ context.Context, shared clusters) ([]manager.Manager, error) {
	cfg, err := config.Decode(f.Inputs.GardenOperator)
	if err != nil {
		return nil, fmt.Errorf("configuration of the operator: %w", err)
	}
	cfg.Report(f.Log.WithName(GardenOperator))
	h, err := f.Inputs.Garden.Host(f.seed.CallsBack())
	if err != nil {
		return nil, fmt.Errorf("describe the host of the Garden: %w", err)
	}
	mgr, err := f.manager(GardenOperator, shared.seed)
	if err != nil {
		return nil, err
	}
	rules := admission.Config{Host: garden.Rules(h), Way: f.seed.Calls(callback.GardenOperator), Certificates: f.authority(mgr)}
	if err := admission.AddToManager(mgr, rules); err != nil {
		return nil, err
	}
	virtual, err := Client(f.GardenConfig, install.AddGarden)
	if err != nil {
		return nil, err
	}
	one := workers.Insistent(1)
	reconciler := &garden.Reconciler{
		Runtime: mgr.GetClient(), Host: h, Clock: clock.RealClock{},
		SyncPeriod: cfg.Controllers.Garden.SyncPeriod.Duration, ComponentTimeout: garden.ComponentTimeout,
		Authority: f.authority(mgr),
		Access:    access.Access{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Virtual: host.Connected(f.GardenConfig)},
		Password:  observability.Password{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: clock.RealClock{}},
		Users:     rotation.Users{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Virtual: virtual},
	}
	checks := &care.Reconciler{
		Runtime: mgr.GetClient(), Virtual: host.Connected(f.GardenConfig), Components: h.Components, Clock: clock.RealClock{},
		Period: cfg.Controllers.GardenCare.SyncPeriod.Duration, Thresholds: cfg.Controllers.GardenCare.Thresholds(),
	}
	references := &reference.Reconciler{Client: mgr.GetClient(), Reader: mgr.GetAPIReader()}
	err = errors.Join(reconciler.AddToManager(mgr, one), checks.AddToManager(mgr, one), references.AddToManager(mgr, one))
	if err != nil {
		return nil, fmt.Errorf("add operator of the Garden: %w", err)
	}
	return []manager.Manager{mgr}, f.writeGarden(mgr)
}

// authority is that of the runtime cluster, which signs for all webhooks there.
func (r *roles) authority(mgr manager.Manager) authority.Authority {
	return authority.Authority{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: clock.RealClock{}, Turn: &r.authorityTurn}
}

func (f *First) writeGarden(mgr manager.Manager) error {
	configuration, err := f.seed.Gardenlet()
	if err != nil {
		return err
	}
	values := f.Inputs.Garden.Values
	values.Runtime = configuration.SeedConfig.Spec
	return mgr.Add(gardens.Applier{Client: mgr.GetClient(), Wanted: gardens.Object(values), Log: f.Log.WithName(GardenOperator)})
}
