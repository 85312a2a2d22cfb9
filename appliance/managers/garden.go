package managers

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/controllermanager"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	"github.com/gardener-up/gardener-up/controllers/loglevel"
	"github.com/gardener-up/gardener-up/controllers/scheduler"
	schedulerconfig "github.com/gardener-up/gardener-up/controllers/scheduler/config"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// gardenRoles are the roles that act for the garden alone.
type gardenRoles struct{ GardenInputs }

func (r gardenRoles) controllerManager(_ context.Context, shared clusters) ([]manager.Manager, error) {
	configuration, err := r.controllerManagerConfiguration()
	if err != nil {
		return nil, err
	}
	o := options{Log: loglevel.Limit(r.Log.WithName(ControllerManager), configuration.LogLevel)}
	if probes := configuration.Server.HealthProbes; probes != nil {
		o.HealthAddress = probes.Address()
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		o.MetricsAddr = metrics.Address()
	}
	if limits := configuration.GardenClientConnection; limits.QPS > 0 {
		o.Config = rest.CopyConfig(shared.garden.GetConfig())
		o.Config.QPS, o.Config.Burst = limits.QPS, int(limits.Burst)
	}
	mgr, err := newManager(ControllerManager, shared.garden, o)
	if err != nil {
		return nil, err
	}
	if err := controllermanager.AddToManager(mgr, controllermanager.Config{Configuration: configuration, Dial: r.dialForUsers, InLandscape: true}); err != nil {
		return nil, fmt.Errorf("add controller manager: %w", err)
	}
	return []manager.Manager{mgr}, nil
}

// dialForUsers connects to a server that a user of the garden names. Of this machine users reach only the front door and the
// doors of shoots.
func (r gardenRoles) dialForUsers(ctx context.Context, network, address string) (net.Conn, error) {
	rules := guardeddial.Rules{Private: r.PrivateNetworks}
	if front, err := netip.ParseAddr(r.FrontDoor.Address); err == nil {
		rules.Endpoints = []netip.AddrPort{netip.AddrPortFrom(front, uint16(r.FrontDoor.Port))}
	}
	doors, err := r.ShootDoors()
	if err != nil {
		return nil, err
	}
	rules.Endpoints = append(rules.Endpoints, doors...)
	return rules.DialContext(ctx, network, address)
}

// controllerManagerConfiguration is the user's configuration with its defaults.
func (r gardenRoles) controllerManagerConfiguration() (*config.ControllerManagerConfiguration, error) {
	configuration := config.Default()
	if len(r.ControllerManager) > 0 {
		var err error
		if configuration, err = config.Decode(r.ControllerManager); err != nil {
			return nil, fmt.Errorf("configuration of the controller manager: %w", err)
		}
	}
	defaultQuotas(configuration)
	configuration.ServeHealth(int(r.Ports[ControllerManager]))
	return configuration, nil
}

// controllerManagerHealth is the address of the controller manager's health endpoint: a port of the landscape, unless the
// user's configuration names another one.
func (r gardenRoles) controllerManagerHealth() string {
	configuration, err := r.controllerManagerConfiguration()
	switch {
	case err != nil:
		return "" // the part reports the mistake
	case configuration.Server.HTTPS != nil:
		return "https://" + configuration.Server.HTTPS.Address() + "/healthz"
	}
	return "http://" + configuration.Server.HealthProbes.Address() + "/healthz"
}

func (r gardenRoles) scheduler(_ context.Context, shared clusters) ([]manager.Manager, error) {
	configuration, err := r.schedulerConfiguration()
	if err != nil {
		return nil, err
	}
	o := options{Log: loglevel.Limit(r.Log.WithName(Scheduler), configuration.LogLevel), HealthAddress: r.Ports.Local(Scheduler)}
	if probes := configuration.Server.HealthProbes; probes != nil {
		o.HealthAddress = probes.Address()
	}
	if metrics := configuration.Server.Metrics; metrics != nil {
		o.MetricsAddr = metrics.Address()
	}
	if limits := configuration.ClientConnection; limits.QPS > 0 {
		o.Config = rest.CopyConfig(shared.garden.GetConfig())
		o.Config.QPS, o.Config.Burst = limits.QPS, int(limits.Burst)
	}
	mgr, err := newManager(Scheduler, shared.garden, o)
	if err != nil {
		return nil, err
	}
	if err := scheduler.AddToManager(mgr, scheduler.Config{Configuration: configuration, InLandscape: true}); err != nil {
		return nil, fmt.Errorf("add scheduler: %w", err)
	}
	return []manager.Manager{mgr}, nil
}

// schedulerConfiguration is the user's configuration with its defaults.
func (r gardenRoles) schedulerConfiguration() (*schedulerconfig.SchedulerConfiguration, error) {
	configuration, err := schedulerconfig.Decode(r.Scheduler)
	if err != nil {
		return nil, fmt.Errorf("configuration of the scheduler: %w", err)
	}
	return configuration, nil
}

// schedulerHealth is the address of the scheduler's health endpoint: a port of the landscape, unless the user's
// configuration names another one.
func (r gardenRoles) schedulerHealth() string {
	if configuration, err := r.schedulerConfiguration(); err == nil && configuration.Server.HealthProbes != nil {
		return "http://" + configuration.Server.HealthProbes.Address() + "/healthz"
	}
	return r.health(Scheduler)
}

// health is the URL at which a role of the garden serves its health.
func (r gardenRoles) health(role string) string { return "http://" + r.Ports.Local(role) + "/healthz" }
