// Package controllermanager composes the controllers that look after the garden itself. They reach only the garden,
// never a seed or a shoot. The exception is the Plant controller, which also reaches the clusters that Plants describe.
// Each duty has its own package; this package gives them their clients.
package controllermanager

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/bastion"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/csrapproval"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/event"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/inuse"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/namespacedcloudprofile"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/plant"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/project"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/registration/installation"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/backupbuckets"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/extensions"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/secrets"
	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/controllers/internal/healthz"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// component is the source of the events that these controllers send.
const component = "gardener-controller-manager"

// Config of the controllers. The zero value takes the defaults.
type Config struct {
	// Configuration must have its defaults set; nil means the configuration of an empty file.
	Configuration *config.ControllerManagerConfiguration
	// Dial connects to servers that users name, such as those of Plants; nil dials any address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// InLandscape means that this process runs more than these controllers and decides how the garden is reached.
	InLandscape bool
}

// AddToManager adds all controllers to the manager of the garden. Its scheme must know the kinds of Kubernetes and of
// Gardener's API. It has to read through a cache.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Configuration == nil {
		cfg.Configuration = config.Default()
	}
	keys := cfg.Configuration.WithoutEffect()
	if cfg.InLandscape {
		keys = append(keys, cfg.Configuration.OfProcess()...)
	}
	effect.Log(mgr.GetLogger(), keys)
	c := cfg.Configuration.Controllers
	for _, add := range []func(manager.Manager, config.Controllers) error{addProjects, addSeeds, addRegistrations, cfg.addShoots, cfg.addOthers} {
		if err := add(mgr, c); err != nil {
			return err
		}
	}
	return addHealth(mgr, cfg.Configuration.Server.HTTPS)
}

// addHealth serves the health over TLS. It is the only server of this package: the garden's webhooks are those of its API server and of the
// admission controller.
func addHealth(mgr manager.Manager, address *componentconfig.HTTPSListener) error {
	if address == nil {
		return nil
	}
	return mgr.Add(&healthz.Server{Name: component, Secure: address, Ready: func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("caches are not filled yet")
		}
		return nil
	}})
}

func addSeeds(mgr manager.Manager, c config.Controllers) error {
	garden, reader, now, options := mgr.GetClient(), mgr.GetAPIReader(), clock.RealClock{}, workers.Some(*c.Seed.ConcurrentSyncs)
	leases := &lifecycle.Reconciler{
		Client: garden, Reader: reader, Clock: now,
		SyncPeriod: c.Seed.SyncPeriod.Duration, MonitorPeriod: c.Seed.MonitorPeriod.Duration, ShootMonitorPeriod: c.Seed.ShootMonitorPeriod.Duration,
	}
	return errors.Join(
		(&secrets.Reconciler{Client: garden, Reader: reader}).AddToManager(mgr, options),
		leases.AddToManager(mgr, options),
		(&backupbuckets.Reconciler{Client: garden, Clock: now}).AddToManager(mgr, options),
		(&extensions.Reconciler{Client: garden, Clock: now}).AddToManager(mgr, options))
}

func addRegistrations(mgr manager.Manager, c config.Controllers) error {
	syncs := map[string]*componentconfig.ConcurrentController{
		"cloudprofile": c.CloudProfile, "exposureclass": c.ExposureClass, "secretbinding": c.SecretBinding, "credentialsbinding": c.CredentialsBinding,
		"quota": c.Quota, "controllerregistration": c.ControllerRegistration, "controllerdeployment": c.ControllerDeployment,
	}
	for _, kind := range inuse.Kinds() {
		setting, found := syncs[kind.Name]
		if !found {
			return fmt.Errorf("there is no setting for the protection of %s", kind.Name)
		}
		protection := &inuse.Reconciler{Kind: kind, Client: mgr.GetClient(), Recorder: mgr.GetEventRecorder(component)}
		if err := protection.AddToManager(mgr, workers.Some(*setting.ConcurrentSyncs)); err != nil {
			return err
		}
	}
	return (&installation.Reconciler{Client: mgr.GetClient()}).AddToManager(mgr, workers.Insistent(*c.ControllerRegistration.ConcurrentSyncs))
}

func (cfg Config) addOthers(mgr manager.Manager, c config.Controllers) error {
	garden, reader, now := mgr.GetClient(), mgr.GetAPIReader(), clock.RealClock{}
	plants := &plant.Reconciler{Client: garden, Reader: reader, Clock: now, SyncPeriod: c.Plant.SyncPeriod.Duration, Workers: *c.Plant.ConcurrentSyncs, Dial: cfg.Dial, Look: plant.Look}
	bastions := &bastion.Reconciler{Client: garden, Clock: now, MaxLifetime: c.Bastion.MaxLifetime.Duration}
	err := errors.Join(
		(&csrapproval.Reconciler{Client: garden, Reader: reader}).AddToManager(mgr, workers.Some(*c.CertificateSigningRequest.ConcurrentSyncs)),
		(&namespacedcloudprofile.Reconciler{Client: garden}).AddToManager(mgr, workers.Some(*c.NamespacedCloudProfile.ConcurrentSyncs)),
		plants.AddToManager(mgr, workers.Some(*c.Plant.ConcurrentSyncs)),
		bastions.AddToManager(mgr, workers.Some(*c.Bastion.ConcurrentSyncs)))
	if c.Event == nil {
		return err
	}
	events := &event.Reconciler{Client: garden, Clock: now, TTL: c.Event.TTLNonShootEvents.Duration}
	return errors.Join(err, events.AddToManager(mgr, workers.Some(*c.Event.ConcurrentSyncs)))
}

// quotas converts the quotas of the configuration for the namespaces of projects.
func quotas(configured []config.QuotaOfProject) ([]project.Quota, error) {
	var all []project.Quota
	for i, one := range configured {
		selector, err := metav1.LabelSelectorAsSelector(one.ProjectSelector)
		if err != nil {
			return nil, fmt.Errorf("selector of quota %d: %w", i, err)
		}
		all = append(all, project.Quota{Template: *one.Config, Selector: selector})
	}
	return all, nil
}
