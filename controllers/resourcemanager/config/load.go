package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/internal/effect"
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

// WithoutEffect lists the keys that the decoded file sets although this resource manager does not act on them, in the
// order of the kind.
func (c *ResourceManagerConfiguration) WithoutEffect() []string { return c.withoutEffect }

// SetDefaults sets the fields that are empty. It is idempotent.
func SetDefaults(cfg *ResourceManagerConfiguration) {
	for _, connection := range []*ClientConnection{&cfg.SourceClientConnection, cfg.TargetClientConnection} {
		if connection != nil {
			connection.QPS = cmp.Or(connection.QPS, 100)
			connection.Burst = cmp.Or(connection.Burst, 130)
			if connection.Namespace != "" && len(connection.Namespaces) == 0 {
				connection.Namespaces = []string{connection.Namespace}
			}
		}
	}
	cfg.LeaderElection.LeaderElect = cmp.Or(cfg.LeaderElection.LeaderElect, new(true))
	cfg.LeaderElection.LeaseDuration.Duration = cmp.Or(cfg.LeaderElection.LeaseDuration.Duration, 15*time.Second)
	cfg.LeaderElection.RenewDeadline.Duration = cmp.Or(cfg.LeaderElection.RenewDeadline.Duration, 10*time.Second)
	cfg.LeaderElection.RetryPeriod.Duration = cmp.Or(cfg.LeaderElection.RetryPeriod.Duration, 2*time.Second)
	cfg.LeaderElection.ResourceLock = cmp.Or(cfg.LeaderElection.ResourceLock, "leases")
	cfg.LeaderElection.ResourceName = cmp.Or(cfg.LeaderElection.ResourceName, "gardener-resource-manager")
	cfg.Server.Webhooks.Port = cmp.Or(cfg.Server.Webhooks.Port, 9449)
	cfg.Server.HealthProbes = cmp.Or(cfg.Server.HealthProbes, &Address{})
	cfg.Server.HealthProbes.Port = cmp.Or(cfg.Server.HealthProbes.Port, 8081)
	cfg.LogLevel = cmp.Or(cfg.LogLevel, "info")
	cfg.LogFormat = cmp.Or(cfg.LogFormat, "json")
	c := &cfg.Controllers
	c.ResourceClass = cmp.Or(c.ResourceClass, "resources")
	c.ManagedResource.ConcurrentSyncs = cmp.Or(c.ManagedResource.ConcurrentSyncs, 5)
	c.ManagedResource.SyncPeriod = cmp.Or(c.ManagedResource.SyncPeriod, &metav1.Duration{Duration: time.Minute})
	c.ManagedResource.ManagedByLabelValue = cmp.Or(c.ManagedResource.ManagedByLabelValue, "gardener")
	c.GarbageCollector.SyncPeriod = cmp.Or(c.GarbageCollector.SyncPeriod, &metav1.Duration{Duration: time.Hour})
	c.NetworkPolicy.ConcurrentSyncs = cmp.Or(c.NetworkPolicy.ConcurrentSyncs, 5)
	c.CacheSyncTimeout = cmp.Or(c.CacheSyncTimeout, &metav1.Duration{Duration: 2 * time.Minute})
	c.TokenRequestor.ConcurrentSyncs = cmp.Or(c.TokenRequestor.ConcurrentSyncs, 5)
	c.TokenInvalidator.ConcurrentSyncs = cmp.Or(c.TokenInvalidator.ConcurrentSyncs, 5)
	if c.KubeletCSRApprover.Enabled {
		c.CSRApprover = c.KubeletCSRApprover
	}
	if c.Node.Enabled {
		c.NodeCriticalComponents = c.Node
	}
	c.NodeCriticalComponents.ConcurrentSyncs = cmp.Or(c.NodeCriticalComponents.ConcurrentSyncs, 5)
	c.NodeCriticalComponents.Backoff = cmp.Or(c.NodeCriticalComponents.Backoff, &metav1.Duration{Duration: 10 * time.Second})
	cfg.Webhooks.PodSchedulerName.SchedulerName = cmp.Or(cfg.Webhooks.PodSchedulerName.SchedulerName, "default-scheduler")
	cfg.Webhooks.ProjectedTokenMount.ExpirationSeconds = cmp.Or(cfg.Webhooks.ProjectedTokenMount.ExpirationSeconds, 43200)
}

// Validate lists all mistakes.
func Validate(cfg *ResourceManagerConfiguration) error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(!slices.Contains([]string{"debug", "info", "error"}, cfg.LogLevel), "logLevel %q is not one of debug, info, error", cfg.LogLevel)
	refuse(!slices.Contains([]string{"json", "text"}, cfg.LogFormat), "logFormat %q is not one of json, text", cfg.LogFormat)
	c, w := &cfg.Controllers, &cfg.Webhooks
	refuse(c.ManagedResource.SyncPeriod.Duration < time.Second, "controllers.managedResource.syncPeriod is shorter than a second")
	refuse(c.ManagedResource.ConcurrentSyncs < 1, "controllers.managedResource.concurrentSyncs is less than 1")
	refuse(c.GarbageCollector.Enabled && c.GarbageCollector.SyncPeriod.Duration < time.Second, "controllers.garbageCollector.syncPeriod is shorter than a second")
	refuse(c.RootCAPublisher.Enabled && c.RootCAPublisher.RootCAFile == "", "controllers.rootCAPublisher.rootCAFile is required")
	for i := range c.NetworkPolicy.NamespaceSelectors {
		_, err := metav1.LabelSelectorAsSelector(&c.NetworkPolicy.NamespaceSelectors[i])
		refuse(err != nil, "controllers.networkPolicy.namespaceSelectors[%d]: %v", i, err)
	}
	if selector := c.NetworkPolicy.IngressControllerSelector; selector != nil {
		_, err := metav1.LabelSelectorAsSelector(&selector.PodSelector)
		refuse(err != nil || selector.Namespace == "", "controllers.networkPolicy.ingressControllerSelector needs a namespace and a selector of pods: %v", err)
	}
	refuse(w.KubernetesServiceHost.Enabled && w.KubernetesServiceHost.Host == "", "webhooks.kubernetesServiceHost.host is required")
	refuse(w.ProjectedTokenMount.ExpirationSeconds < 600, "webhooks.projectedTokenMount.expirationSeconds is less than 600")
	return errors.Join(errs...)
}
