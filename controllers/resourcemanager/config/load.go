package config

import (
	"cmp"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/internal/componentconfig"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// Load reads a file as Decode does.
func Load(path string) (*ResourceManagerConfiguration, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	cfg, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	return cfg, nil
}

// Decode refuses unknown fields, sets defaults and lists all mistakes.
func Decode(raw []byte) (*ResourceManagerConfiguration, error) {
	cfg := &ResourceManagerConfiguration{}
	if err := yaml.UnmarshalStrict(raw, cfg); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if cfg.APIVersion != APIVersion || cfg.Kind != Kind {
		return nil, fmt.Errorf("apiVersion and kind are %q and %q, not %q and %q", cfg.APIVersion, cfg.Kind, APIVersion, Kind)
	}
	cfg.withoutEffect = effect.Keys(*cfg, *defaults(), effect.None)
	SetDefaults(cfg)
	return cfg, Validate(cfg)
}

// defaults is the configuration of an empty file.
func defaults() *ResourceManagerConfiguration {
	cfg := &ResourceManagerConfiguration{}
	SetDefaults(cfg)
	return cfg
}

// WithoutEffect lists the keys that the decoded file sets although this resource manager does not act on them. Keys are in the order
// in which the type declares them.
func (c *ResourceManagerConfiguration) WithoutEffect() []string { return c.withoutEffect }

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *ResourceManagerConfiguration) {
	for _, connection := range []*ClientConnection{&cfg.SourceClientConnection, cfg.TargetClientConnection} {
		if connection != nil {
			connection.SetDefaults(100, 130)
			if connection.Namespace != "" && len(connection.Namespaces) == 0 {
				connection.Namespaces = []string{connection.Namespace}
			}
		}
	}
	cfg.LeaderElection.SetDefaults("gardener-resource-manager")
	cfg.Server.Webhooks.Port = cmp.Or(cfg.Server.Webhooks.Port, 9449)
	defaulting.Pointer(&cfg.Server.HealthProbes, componentconfig.Listener{})
	cfg.Server.SetDefaults(8081, 0)
	(*componentconfig.Log)(&cfg.Log).SetDefaults()
	c := &cfg.Controllers
	c.ResourceClass = cmp.Or(c.ResourceClass, "resources")
	c.ManagedResource.ConcurrentSyncs = cmp.Or(c.ManagedResource.ConcurrentSyncs, 5)
	defaulting.Duration(&c.ManagedResource.SyncPeriod, time.Minute)
	c.ManagedResource.ManagedByLabelValue = cmp.Or(c.ManagedResource.ManagedByLabelValue, "gardener")
	defaulting.Duration(&c.GarbageCollector.SyncPeriod, time.Hour)
	c.NetworkPolicy.ConcurrentSyncs = cmp.Or(c.NetworkPolicy.ConcurrentSyncs, 5)
	defaulting.Duration(&c.CacheSyncTimeout, 2*time.Minute)
	c.TokenRequestor.ConcurrentSyncs = cmp.Or(c.TokenRequestor.ConcurrentSyncs, 5)
	c.TokenInvalidator.ConcurrentSyncs = cmp.Or(c.TokenInvalidator.ConcurrentSyncs, 5)
	if c.KubeletCSRApprover.Enabled {
		c.CSRApprover = c.KubeletCSRApprover
	}
	if c.Node.Enabled {
		c.NodeCriticalComponents = c.Node
	}
	c.NodeCriticalComponents.ConcurrentSyncs = cmp.Or(c.NodeCriticalComponents.ConcurrentSyncs, 5)
	defaulting.Duration(&c.NodeCriticalComponents.Backoff, 10*time.Second)
	cfg.Webhooks.PodSchedulerName.SchedulerName = cmp.Or(cfg.Webhooks.PodSchedulerName.SchedulerName, "default-scheduler")
	cfg.Webhooks.ProjectedTokenMount.ExpirationSeconds = cmp.Or(cfg.Webhooks.ProjectedTokenMount.ExpirationSeconds, 43200)
}

// Validate lists all mistakes.
func Validate(cfg *ResourceManagerConfiguration) error {
	m := &componentconfig.Mistakes{}
	componentconfig.Log(cfg.Log).Validate(m)
	cfg.Server.Validate(m)
	cfg.Server.Webhooks.Validate(m, "server.webhooks")
	if *cfg.LeaderElection.LeaderElect {
		cfg.LeaderElection.Validate(m)
	}
	c, w := &cfg.Controllers, &cfg.Webhooks
	m.Add(c.ManagedResource.SyncPeriod.Duration < time.Second, "controllers.managedResource.syncPeriod is shorter than a second")
	m.Syncs("controllers.managedResource", c.ManagedResource.ConcurrentSyncs)
	m.Add(c.GarbageCollector.Enabled && c.GarbageCollector.SyncPeriod.Duration < time.Second, "controllers.garbageCollector.syncPeriod is shorter than a second")
	m.Add(c.RootCAPublisher.Enabled && c.RootCAPublisher.RootCAFile == "", "controllers.rootCAPublisher.rootCAFile is required")
	for i := range c.NetworkPolicy.NamespaceSelectors {
		_, err := metav1.LabelSelectorAsSelector(&c.NetworkPolicy.NamespaceSelectors[i])
		m.Add(err != nil, "controllers.networkPolicy.namespaceSelectors[%d]: %v", i, err)
	}
	if selector := c.NetworkPolicy.IngressControllerSelector; selector != nil {
		_, err := metav1.LabelSelectorAsSelector(&selector.PodSelector)
		m.Add(err != nil || selector.Namespace == "", "controllers.networkPolicy.ingressControllerSelector needs a namespace and a selector of pods: %v", err)
	}
	m.Add(w.KubernetesServiceHost.Enabled && w.KubernetesServiceHost.Host == "", "webhooks.kubernetesServiceHost.host is required")
	m.Add(w.ProjectedTokenMount.ExpirationSeconds < 600, "webhooks.projectedTokenMount.expirationSeconds is less than 600")
	return m.Err()
}
