package config_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
)

func TestDefaults(t *testing.T) {
	for name, content := range map[string]string{
		"an empty file":                   "",
		"the strategy of the public kind": "schedulers: {shoot: {candidateDeterminationStrategy: SameRegion}}",
		"defaults that a file repeats":    "logFormat: json\nleaderElection: {leaderElect: true, resourceLock: leases}",
	} {
		t.Run("SCH-10 "+name, func(t *testing.T) {
			cfg, err := config.Decode([]byte(content))
			if err != nil {
				t.Fatal(err)
			}
			shoot := cfg.Schedulers.Shoot
			got := []any{shoot.ConcurrentSyncs, shoot.CandidateDeterminationStrategy, cfg.LogLevel, *cfg.LeaderElection.LeaderElect, cfg.Server.Metrics == nil}
			if diff := cmp.Diff([]any{5, config.SameRegion, "info", true, true}, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if keys := append(cfg.WithoutEffect(), cfg.OfProcess()...); len(keys) > 0 {
				t.Errorf("defaults are reported: %q", keys)
			}
		})
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
	shoot, election := cfg.Schedulers.Shoot, cfg.LeaderElection
	got := []any{
		shoot.ConcurrentSyncs, shoot.CandidateDeterminationStrategy, cfg.LogLevel, cfg.ClientConnection.Kubeconfig, election.RetryPeriod.Duration,
		cfg.Server.HealthProbes.Address(), cfg.Server.Metrics.Address(),
	}
	want := []any{7, config.MinimalDistance, "debug", "a", 3 * time.Second, "127.0.0.1:11251", "127.0.0.1:19251"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("SCH-10 values (-want +got):\n%s", diff)
	}
	want = []any{
		"clientConnection.acceptContentTypes", "clientConnection.contentType", "leaderElection.resourceLock",
		"debugging", "schedulers.backupBucket", "featureGates", "clientConnection.kubeconfig", "leaderElection", "logFormat (use log.format of the landscape's configuration instead)",
	}
	got = nil
	for _, key := range append(cfg.WithoutEffect(), cfg.OfProcess()...) {
		got = append(got, key)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys without effect (-want +got):\n%s", diff)
	}
}

func TestMistakes(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"SCH-10 another strategy":       {"schedulers: {shoot: {candidateDeterminationStrategy: minimalDistance}}", `candidateDeterminationStrategy "minimalDistance" is not one of SameRegion, MinimalDistance`},
		"an unknown key":                {"schedulers: {shoots: {}}", `unknown field "schedulers.shoots"`},
		"SCH-2 a key of other servers":  {"server: {webhooks: {tls: {}}}", `unknown field "server.webhooks"`},
		"a doubled key":                 {"logLevel: info\nlogLevel: debug", "logLevel"},
		"another kind":                  {"kind: Pod", "apiVersion and kind"},
		"an unknown level":              {"logLevel: loud", `logLevel "loud"`},
		"an unknown format":             {"logFormat: xml", `logFormat "xml"`},
		"no workers":                    {"schedulers: {shoot: {concurrentSyncs: -1}}", "schedulers.shoot.concurrentSyncs"},
		"a port out of range":           {"server: {metrics: {port: 70000}}", "server.metrics.port"},
		"a negative limit":              {"clientConnection: {qps: -1, burst: -1}", "clientConnection.burst"},
		"a lease shorter than a retry":  {"leaderElection: {retryPeriod: 20s}", "leaderElection.renewDeadline"},
		"a lease shorter than renewals": {"leaderElection: {leaseDuration: 5s}", "leaderElection.leaseDuration"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if _, err := config.Decode([]byte(tc.content)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
