package managers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardens"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/operator"
	"github.com/gardener-up/gardener-up/controllers/operator/config"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// gardenOperator reconciles the Garden, whose object is in the runtime cluster, and writes it first.
func (f *First) gardenOperator(_ context.Context, shared clusters) ([]manager.Manager, error) {
	cfg, err := config.Decode(f.operator.Configuration)
	if err != nil {
		return nil, fmt.Errorf("configuration of the operator: %w", err)
	}
	mgr, err := f.manager(GardenOperator, shared.seed)
	if err != nil {
		return nil, err
	}
	resourceManager, err := f.runtimeResourceManager(mgr)
	if err != nil {
		return nil, err
	}
	h, err := f.operator.Garden.Host(resourceManager)
	if err != nil {
		return nil, fmt.Errorf("describe the host of the Garden: %w", err)
	}
	virtual, err := Client(f.gardenConfig, install.AddGarden)
	if err != nil {
		return nil, err
	}
	err = operator.AddToManager(mgr, operator.Config{
		Configuration: cfg, Host: h, Virtual: host.Connected(f.gardenConfig), VirtualClient: virtual, Authority: f.authority(mgr), Way: f.seed.Calls(callback.GardenOperator),
		InLandscape: true,
	})
	if err != nil {
		return nil, err
	}
	return []manager.Manager{mgr}, f.writeGarden(mgr)
}

// runtimeResourceManager is a Deployment in a runtime cluster whose API server cannot call this process. It is nil in others.
func (f *First) runtimeResourceManager(mgr manager.Manager) (*host.Component, error) {
	if f.seed.CallsBack() {
		return nil, nil
	}
	direct, err := client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make client of the runtime cluster: %w", err)
	}
	component := deployed.Inputs{Client: direct, Namespace: constants.GardenNamespace, Image: f.Image, Pods: f.seed.Pods()}.ResourceManager()
	return &component, nil
}

func (f *First) writeGarden(mgr manager.Manager) error {
	configuration, err := f.seed.Gardenlet()
	if err != nil {
		return err
	}
	values := f.operator.Garden.Values
	values.Runtime = configuration.SeedConfig.Spec
	return mgr.Add(gardens.Applier{Client: mgr.GetClient(), Wanted: gardens.Object(values), Log: f.Log.WithName(GardenOperator)})
}
