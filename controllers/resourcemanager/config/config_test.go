package config_test

import (
	"strings"
	"testing"
	"time"

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
	for name, tc := range map[string]struct{ content, wantErr string }{
		"another kind is refused":                      {"apiVersion: v1\nkind: Pod", "apiVersion and kind"},
		"an unknown field is refused":                  {head + "nonsense: 1", "nonsense"},
		"a short period is refused":                    {head + "controllers: {managedResource: {syncPeriod: 1ms}}", "syncPeriod is shorter"},
		"a root certificate needs a file":              {head + "controllers: {rootCAPublisher: {enabled: true}}", "rootCAFile is required"},
		"the host of the API server has to be known":   {head + "webhooks: {kubernetesServiceHost: {enabled: true}}", "host is required"},
		"what does not exist here cannot be turned on": {head + "controllers: {networkPolicy: {enabled: true}}", "controllers.networkPolicy is not part"},
		"but it can be turned off":                     {head + "controllers: {networkPolicy: {enabled: false, concurrentSyncs: 5}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Decode([]byte(tc.content))
			if (err == nil) != (tc.wantErr == "") || (err != nil && !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("error = %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}
