package config_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
)

func TestDefaults(t *testing.T) {
	cfg, err := config.Decode(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := cfg.Controllers
	got := []any{
		*c.Project.MinimumLifetimeDays, *c.Project.StaleGracePeriodDays, *c.Project.StaleExpirationTimeDays, c.Project.StaleSyncPeriod.Duration,
		c.Plant.SyncPeriod.Duration, *c.Plant.ConcurrentSyncs, c.Bastion.MaxLifetime.Duration, c.ShootRetry.RetryPeriod.Duration, c.ShootRetry.RetryJitterPeriod.Duration,
		c.ShootHibernation.TriggerDeadlineDuration.Duration, c.ShootQuota.SyncPeriod.Duration, c.Seed.MonitorPeriod.Duration, c.Seed.ShootMonitorPeriod.Duration,
		c.Event == nil, cfg.Server.HealthProbes == nil,
	}
	want := []any{
		30, 14, 90, 12 * time.Hour, 30 * time.Second, 5, 24 * time.Hour, 10 * time.Minute, 5 * time.Minute,
		2 * time.Hour, time.Hour, 40 * time.Second, 200 * time.Second, true, true,
	}
	t.Run("GCM-12 GCM-31 GCM-32 an empty file has the public defaults", func(t *testing.T) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
}

func TestEveryKey(t *testing.T) {
	raw, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Decode(raw)
	if err != nil {
		t.Fatal("a public key is refused:", err)
	}
	t.Run("what is acted upon is read", func(t *testing.T) {
		c := cfg.Controllers
		got := []any{*c.Project.StaleExpirationTimeDays, c.Event.TTLNonShootEvents.Duration, *c.ShootMaintenance.ConcurrentSyncs, *c.ShootMaintenance.EnableShootCoreAddonRestarter, cfg.Server.Metrics.Address()}
		if diff := cmp.Diff([]any{50, 2 * time.Hour, 15, true, "127.0.0.1:12719"}, got); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
	t.Run("keys without effect are named, all others act", func(t *testing.T) {
		want := []string{
			"gardenClientConnection.acceptContentTypes", "gardenClientConnection.contentType",
			"controllers.shootReference.protectAuditPolicyConfigMaps",
			"controllers.seedExtensionsCheck", "controllers.seedBackupBucketsCheck", "controllers.controllerDeploymentReference", "controllers.secretBindingProvider",
			"controllers.seedReference", "controllers.shootConditions", "controllers.shootStatusLabel", "controllers.shootMigration",
			"controllers.managedSeedSet", "controllers.shootState", "controllers.cacheSyncTimeout",
			"kubernetesLogLevel (use logLevel instead)", "server.http", "debugging", "featureGates.CachedRuntimeClients",
		}
		if diff := cmp.Diff(want, cfg.WithoutEffect()); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
		want = []string{"gardenClientConnection.kubeconfig", "leaderElection", "logFormat (use log.format of the landscape's configuration instead)"}
		if diff := cmp.Diff(want, cfg.OfProcess()); diff != "" {
			t.Errorf("keys of a process (-want +got):\n%s", diff)
		}
	})
}

func TestMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"an unknown key":       {"nonsense: 1", "nonsense"},
		"a doubled key":        {"logLevel: info\nlogLevel: debug", "logLevel"},
		"another kind":         {"kind: Pod", "apiVersion and kind"},
		"a level that is none": {"logLevel: loud", `logLevel "loud"`},
		"APP-7 a lease that ends before it is renewed": {"leaderElection: {leaseDuration: 1s}", "leaderElection.leaseDuration must be more than renewDeadline"},
		"no workers":                        {"controllers: {plant: {concurrentSyncs: 0}}", "controllers.plant.concurrentSyncs"},
		"no period":                         {"controllers: {plant: {syncPeriod: 0s}}", "controllers.plant.syncPeriod"},
		"GCM-15 no life of events":          {"controllers: {event: {ttlNonShootEvents: 0s}}", "controllers.event.ttlNonShootEvents"},
		"GCM-11 deletion before the notice": {"controllers: {project: {staleExpirationTimeDays: 13}}", "staleExpirationTimeDays must not be less"},
		"GCM-5 a quota of nothing":          {"controllers: {project: {quotas: [{}]}}", "controllers.project.quotas[0].config is required"},
		"GCM-5 a selector that is none": {
			"controllers: {project: {quotas: [{config: {}, projectSelector: {matchExpressions: [{key: a, operator: X}]}}]}}", "controllers.project.quotas[0].projectSelector",
		},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if _, err := config.Decode([]byte(tc.content)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
