package managers

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/druid"
	"github.com/gardener-up/gardener-up/controllers/druid/compaction"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	resourcemanagerconfig "github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// addOperators adds the controllers for the objects of a seed: its resource manager, druid and the provider.
func (r *roles) addOperators(mgr manager.Manager) error {
	if r.seed.CallsBack() {
		config := seedResourceManager()
		if r.runtimeCluster {
			config.Webhook.Certificates = r.authority(mgr)
		}
		if err := addSeedResourceManager(mgr, config); err != nil {
			return err
		}
	}
	configuration, err := r.seed.Gardenlet()
	if err != nil {
		return err
	}
	err = druid.AddToManager(mgr, druid.Config{
		Image: r.Image, Pods: r.seed.Pods(), Backups: r.seed.Backups(), PrivateNetworks: r.PrivateNetworks, OwnerServer: r.seed.OwnerServer(), OwnerDomain: r.InternalDomain,
		Share: r.druids(), Compaction: compactionSettings(configuration.ETCDConfig),
		Mark: r.mark, Protection: r.protection, Protect: protects(configuration.ETCDConfig),
	})
	if err != nil {
		return fmt.Errorf("add druid: %w", err)
	}
	return r.seed.AddProvider(mgr)
}

// protects reports whether nobody but the druid may change the objects of Etcds.
func protects(configured *config.ETCDConfig) bool {
	return configured != nil && ptr.Deref(configured.EtcdComponentProtection, false)
}

// compactionSettings are those of the gardenlet's configuration, which may have none.
func compactionSettings(configured *config.ETCDConfig) compaction.Settings {
	out := compaction.Settings{}
	if configured == nil || configured.BackupCompactionController == nil {
		return out
	}
	wanted := configured.BackupCompactionController
	out.Workers = int(ptr.Deref(wanted.Workers, 0))
	if deadline := wanted.ActiveDeadlineDuration; deadline != nil {
		out.Deadline = deadline.Duration
	}
	return out
}

// addGardenResourceManager adds the resource manager of the garden, whose objects are in the runtime cluster. Secrets of
// class garden ask for tokens of the garden on behalf of a seed. They are the gardenlet's.
func addGardenResourceManager(gardenManager, runtimeManager manager.Manager) error {
	gardenConfig := resourcemanager.Config{
		Target: gardenManager, Name: "garden", Namespaces: []string{"garden"},
		TokenRequestor: true, TokenRequestorClass: resourcesv1alpha1.ResourceManagerClassShoot,
	}
	if err := resourcemanager.AddToManager(runtimeManager, gardenConfig); err != nil {
		return fmt.Errorf("add resource manager of the garden: %w", err)
	}
	return nil
}

// addSeedResourceManager adds the resource manager of a seed whose API server can call the webhooks of this process. In
// other seeds the gardenlet deploys a resource manager. The resource managers of shoots are pods.
func addSeedResourceManager(seedManager manager.Manager, config resourcemanager.Config) error {
	if err := resourcemanager.AddToManager(seedManager, config); err != nil {
		return fmt.Errorf("add resource manager of the seed: %w", err)
	}
	return nil
}

// seedResourceManager is the resource manager with the webhooks of every seed.
func seedResourceManager() resourcemanager.Config {
	on := resourcemanagerconfig.Switch{Enabled: true}
	return resourcemanager.Config{
		Name: "seed", Class: "seed", GarbageCollectorPeriod: time.Hour,
		Webhook: resourcemanager.WebhookServer{Name: "gardener-resource-manager", BindAddress: "127.0.0.1:0", Namespace: "garden"},
		Webhooks: resourcemanagerconfig.Webhooks{
			ProjectedTokenMount:    resourcemanagerconfig.ProjectedTokenMount{Switch: on, ExpirationSeconds: 43200},
			HighAvailabilityConfig: resourcemanagerconfig.HighAvailabilityConfig{Switch: on}, PodTopologySpreadConstraints: on, PodZoneAffinity: on,
			ExtensionValidation: on, EndpointSliceHints: on,
		},
	}
}
