// Package controllermanager composes the controllers that look after the garden itself. They reach the garden only, never
// a seed or a shoot. Each duty has a package of its own; here they get their clients.
package controllermanager

import (
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/csrapproval"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/inuse"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/namespacedcloudprofile"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/project"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/registration/installation"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/backupbuckets"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/extensions"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/lifecycle"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/seed/secrets"
)

// Config of the controllers. The zero value takes the defaults.
type Config struct {
	// ConcurrentSyncs is how many objects a controller handles at a time. Default: 5.
	ConcurrentSyncs int
	// SeedSyncPeriod is how often the lease of a seed is looked at. Default: 10 s.
	SeedSyncPeriod time.Duration
	// SeedMonitorPeriod is how old a lease may be before the seed counts as unknown. Default: 40 s.
	SeedMonitorPeriod time.Duration
	// ShootMonitorPeriod is how long after that the shoots of the seed become unknown. Default: 5 monitor periods.
	ShootMonitorPeriod time.Duration
}

func (c Config) withDefaults() Config {
	if c.ConcurrentSyncs == 0 {
		c.ConcurrentSyncs = 5
	}
	if c.SeedSyncPeriod == 0 {
		c.SeedSyncPeriod = 10 * time.Second
	}
	if c.SeedMonitorPeriod == 0 {
		c.SeedMonitorPeriod = 40 * time.Second
	}
	if c.ShootMonitorPeriod == 0 {
		c.ShootMonitorPeriod = 5 * c.SeedMonitorPeriod
	}
	return c
}

// AddToManager adds all controllers to the manager of the garden. Its scheme must know the kinds of Kubernetes and the
// groups core and security of Gardener.
func AddToManager(mgr manager.Manager, cfg Config) error {
	cfg = cfg.withDefaults()
	garden, reader, now := mgr.GetClient(), mgr.GetAPIReader(), clock.RealClock{}

	if err := (&project.Reconciler{}).AddToManager(mgr, cfg.ConcurrentSyncs); err != nil {
		return err
	}
	if err := (&secrets.Reconciler{Client: garden, Reader: reader}).AddToManager(mgr); err != nil {
		return err
	}
	seeds := &lifecycle.Reconciler{
		Client: garden, Reader: reader, Clock: now,
		SyncPeriod: cfg.SeedSyncPeriod, MonitorPeriod: cfg.SeedMonitorPeriod, ShootMonitorPeriod: cfg.ShootMonitorPeriod,
	}
	if err := seeds.AddToManager(mgr); err != nil {
		return err
	}
	if err := (&backupbuckets.Reconciler{Client: garden, Clock: now}).AddToManager(mgr); err != nil {
		return err
	}
	if err := (&extensions.Reconciler{Client: garden, Clock: now}).AddToManager(mgr); err != nil {
		return err
	}
	if err := (&installation.Reconciler{Client: garden}).AddToManager(mgr, cfg.ConcurrentSyncs); err != nil {
		return err
	}
	if err := (&csrapproval.Reconciler{Client: garden}).AddToManager(mgr); err != nil {
		return err
	}
	if err := (&namespacedcloudprofile.Reconciler{Client: garden}).AddToManager(mgr, cfg.ConcurrentSyncs); err != nil {
		return err
	}
	for _, kind := range inuse.Kinds() {
		protection := &inuse.Reconciler{Kind: kind, Client: garden, Recorder: mgr.GetEventRecorder("gardener-controller-manager")}
		if err := protection.AddToManager(mgr); err != nil {
			return err
		}
	}
	return nil
}
