package controllermanager

import (
	"errors"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/project"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/project/activity"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/project/stale"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/hibernation"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/maintenance"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/quota"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/reference"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/retry"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const day = 24 * time.Hour

func addProjects(mgr manager.Manager, c config.Controllers) error {
	limits, err := quotas(c.Project.Quotas)
	if err != nil {
		return err
	}
	days := func(n *int) time.Duration { return time.Duration(*n) * day }
	unused := &stale.Reconciler{
		Client: mgr.GetClient(), Clock: clock.RealClock{}, SyncPeriod: c.Project.StaleSyncPeriod.Duration,
		Periods: stale.Periods{
			MinimumLifetime: days(c.Project.MinimumLifetimeDays), Grace: days(c.Project.StaleGracePeriodDays), Expiration: days(c.Project.StaleExpirationTimeDays),
		},
	}
	projects := &project.Reconciler{
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder(component), Quotas: limits,
	}
	syncs := c.Project.ConcurrentSyncs
	return errors.Join(
		projects.AddToManager(mgr, workers.Insistent(*syncs)),
		(&activity.Reconciler{Client: mgr.GetClient()}).AddToManager(mgr, workers.Some(*syncs)),
		unused.AddToManager(mgr, workers.Some(*syncs)))
}

func (cfg Config) addShoots(mgr manager.Manager, c config.Controllers) error {
	garden, now, events := mgr.GetClient(), clock.RealClock{}, mgr.GetEventRecorder(component)
	schedules := &hibernation.Reconciler{Client: garden, Clock: now, Recorder: events, Deadline: c.ShootHibernation.TriggerDeadlineDuration.Duration}
	trials := &quota.Reconciler{Client: garden, Clock: now, SyncPeriod: c.ShootQuota.SyncPeriod.Duration}
	throttled := &retry.Reconciler{Client: garden, Clock: now, Period: c.ShootRetry.RetryPeriod.Duration, Jitter: c.ShootRetry.RetryJitterPeriod.Duration}
	windows := &maintenance.Reconciler{Client: garden, Clock: now, Recorder: events, Restarts: maintenance.Restarts{
		ControlPlane: *c.ShootMaintenance.EnableShootControlPlaneRestarter, CoreAddons: *c.ShootMaintenance.EnableShootCoreAddonRestarter,
	}, RotateSSHKeys: cfg.Configuration.FeatureGates[config.GateRotateSSHKeypair]}
	return errors.Join(
		windows.AddToManager(mgr, workers.Some(*c.ShootMaintenance.ConcurrentSyncs)),
		schedules.AddToManager(mgr, workers.Some(*c.ShootHibernation.ConcurrentSyncs)),
		trials.AddToManager(mgr, workers.Some(*c.ShootQuota.ConcurrentSyncs)),
		(&reference.Reconciler{Client: garden, Reader: mgr.GetAPIReader()}).AddToManager(mgr, workers.Some(*c.ShootReference.ConcurrentSyncs)),
		throttled.AddToManager(mgr, workers.Some(*c.ShootRetry.ConcurrentSyncs)))
}
