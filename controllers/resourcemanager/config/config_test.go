package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
)

const head = "apiVersion: resourcemanager.config.gardener.cloud/v1alpha1\nkind: ResourceManagerConfiguration\n"

func TestDecode(t *testing.T) {
	t.Run("an empty configuration gets its defaults", func(t *testing.T) {
		cfg, err := config.Decode([]byte(head))
		if err != nil {
			t.Fatal(err)
		}
		c := cfg.Controllers
		if c.ResourceClass != "resources" || c.ManagedResource.SyncPeriod.Duration != time.Minute || c.ManagedResource.ConcurrentSyncs != 5 ||
			c.ManagedResource.ManagedByLabelValue != "gardener" || c.GarbageCollector.Enabled || c.GarbageCollector.SyncPeriod.Duration != time.Hour ||
			cfg.SourceClientConnection.QPS != 100 || cfg.SourceClientConnection.Burst != 130 || !*cfg.LeaderElection.LeaderElect ||
			cfg.Webhooks.ProjectedTokenMount.ExpirationSeconds != 43200 || cfg.Server.Webhooks.Port != 9449 {
			t.Errorf("configuration = %+v", cfg)
		}
	})
	t.Run("older names of controllers mean the same", func(t *testing.T) {
		cfg, err := config.Decode([]byte(head + "controllers: {kubeletCSRApprover: {enabled: true, machineNamespace: a}, node: {enabled: true, backoff: 2s}}"))
		if err != nil || cfg.Controllers.CSRApprover.MachineNamespace != "a" || cfg.Controllers.NodeCriticalComponents.Backoff.Duration != 2*time.Second {
			t.Errorf("configuration = %+v, %v", cfg, err)
		}
	})
	t.Run("keys of the public kind without effect here are accepted and named", func(t *testing.T) {
		cfg, err := config.Decode([]byte(head + `
logLevel: debug
sourceClientConnection: {namespace: a, contentType: application/json}
controllers: {nodeAgentReconciliationDelay: {enabled: true, minDelay: 1s}, istioClusterConfiguration: {enabled: true}, networkPolicy: {enabled: true}}
webhooks: {nodeAgentAuthorizer: {enabled: true, machineNamespace: a}, vpaInPlaceUpdates: {enabled: true}, podKubeAPIServerLoadBalancing: {enabled: false}, extensionValidation: {enabled: true}}
`))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"sourceClientConnection.contentType", "logLevel", "controllers.istioClusterConfiguration", "controllers.nodeAgentReconciliationDelay",
			"webhooks.nodeAgentAuthorizer", "webhooks.vpaInPlaceUpdates",
		}
		if diff := cmp.Diff(want, cfg.WithoutEffect()); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"a"}, cfg.SourceClientConnection.Namespaces); diff != "" {
			t.Errorf("namespaces (-want +got):\n%s", diff)
		}
	})
	for name, tc := range map[string]struct{ content, wantErr string }{
		"another kind is refused":                    {"apiVersion: v1\nkind: Pod", "apiVersion and kind"},
		"an unknown field is refused":                {head + "nonsense: 1", "nonsense"},
		"a short period is refused":                  {head + "controllers: {managedResource: {syncPeriod: 1ms}}", "syncPeriod is shorter"},
		"a port is a port":                           {head + "server: {webhooks: {port: 70000}}", "server.webhooks.port"},
		"a lease outlives attempts to renew it":      {head + "leaderElection: {renewDeadline: 20s}", "leaderElection.leaseDuration"},
		"a root certificate needs a file":            {head + "controllers: {rootCAPublisher: {enabled: true}}", "rootCAFile is required"},
		"the host of the API server has to be known": {head + "webhooks: {kubernetesServiceHost: {enabled: true}}", "host is required"},
		"a selector has to be one":                   {head + "controllers: {networkPolicy: {enabled: true, namespaceSelectors: [{matchExpressions: [{key: a, operator: Is}]}]}}", "namespaceSelectors[0]"},
		"an ingress controller has a namespace":      {head + "controllers: {networkPolicy: {ingressControllerSelector: {namespace: '', podSelector: {}}}}", "needs a namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Decode([]byte(tc.content))
			if (err == nil) != (tc.wantErr == "") || (err != nil && !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("error = %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}
