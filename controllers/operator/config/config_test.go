package config_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/operator/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

func TestDefaults(t *testing.T) {
	cfg, err := config.Decode(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{
		cfg.Controllers.Garden.SyncPeriod.Duration, cfg.Controllers.GardenCare.SyncPeriod.Duration, len(cfg.Controllers.GardenCare.Thresholds()),
		len(cfg.WithoutEffect()), len(cfg.OfProcess()), cfg.LeaderElection.ResourceName, cfg.LeaderElection.ResourceNamespace, cfg.Server.Webhooks.Port,
	}
	if diff := cmp.Diff([]any{time.Hour, 10 * time.Second, 0, 0, 0, "gardener-operator-leader-election", "garden", 2750}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
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
	t.Run("OPR-23 thresholds by type of condition", func(t *testing.T) {
		want := map[gardencorev1beta1.ConditionType]time.Duration{
			operatorv1alpha1.RuntimeComponentsHealthy: time.Minute, operatorv1alpha1.VirtualGardenAPIServerAvailable: 5 * time.Second,
		}
		if diff := cmp.Diff(want, cfg.Controllers.GardenCare.Thresholds()); diff != "" {
			t.Errorf("thresholds (-want +got):\n%s", diff)
		}
	})
	want := []string{
		"runtimeClientConnection.acceptContentTypes", "runtimeClientConnection.contentType", "virtualClientConnection", "debugging", "featureGates",
		"controllers.garden.concurrentSyncs", "controllers.garden.etcdConfig", "controllers.gardenletDeployer",
		"controllers.networkPolicy (use gardenlet.controllers.networkPolicy of the landscape's configuration instead)",
		"controllers.vpaEvictionRequirements", "controllers.extension", "controllers.extensionCare", "controllers.extensionReference",
		"controllers.extensionRequiredRuntime", "controllers.extensionRequiredVirtual", "nodeToleration",
	}
	if diff := cmp.Diff(want, cfg.WithoutEffect()); diff != "" {
		t.Errorf("keys without effect (-want +got):\n%s", diff)
	}
	want = []string{
		"runtimeClientConnection", "leaderElection", "logLevel (use log.level of the landscape's configuration instead)",
		"logFormat (use log.format of the landscape's configuration instead)", "server",
	}
	if diff := cmp.Diff(want, cfg.OfProcess()); diff != "" {
		t.Errorf("keys of a process (-want +got):\n%s", diff)
	}
}

func TestMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"OPR-23 a threshold of another condition":      {"controllers: {gardenCare: {conditionThresholds: [{type: Other, duration: 1m}]}}", `conditionThresholds[0].type "Other" is not one of [RuntimeComponentsHealthy`},
		"OPR-23 a negative threshold":                  {"controllers: {gardenCare: {conditionThresholds: [{type: VirtualComponentsHealthy, duration: -1s}]}}", "conditionThresholds[0].duration must not be negative"},
		"OPR-23 a threshold that is listed twice":      {"controllers: {gardenCare: {conditionThresholds: [{type: VirtualComponentsHealthy, duration: 1s}, {type: VirtualComponentsHealthy, duration: 2s}]}}", "conditionThresholds[1].type"},
		"no time between checks":                       {"controllers: {gardenCare: {syncPeriod: 0s}}", "controllers.gardenCare.syncPeriod"},
		"no time between reconciliations":              {"controllers: {garden: {syncPeriod: 1ms}}", "controllers.garden.syncPeriod"},
		"APP-7 a lease that ends before it is renewed": {"leaderElection: {leaseDuration: 1s}", "leaderElection.leaseDuration must be more than renewDeadline"},
		"APP-7 a port that is none":                    {"server: {webhooks: {port: 65536}}", "server.webhooks.port must be between 0 and 65535"},
		"an unknown key":                               {"controllers: {gardens: {}}", `unknown field "controllers.gardens"`},
		"another kind":                                 {"kind: Pod", "apiVersion and kind"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if _, err := config.Decode([]byte(tc.content)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
