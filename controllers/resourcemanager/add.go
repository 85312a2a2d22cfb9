// Package resourcemanager composes the resource manager. It applies ManagedResources of a source cluster to a target
// cluster, and renews tokens and certificates there. Each duty has its own package; this package only gives them their
// clients.
//
// It runs inside the daemon for the seed, and as component `resource-manager` in the control plane of every shoot.
package resourcemanager

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// AddToManager adds the controllers of a resource manager to the manager of the source cluster. Its scheme must know
// core/v1, ManagedResources and Machines.
func AddToManager(source manager.Manager, cfg Config) error {
	cfg = cfg.withDefaults()
	if cfg.Target == nil {
		cfg.Target = source
	}
	if err := cfg.validate(); err != nil {
		return fmt.Errorf("configuration of resource manager %q: %w", cfg.Name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	clusterID, err := resolveClusterID(ctx, source.GetAPIReader(), cfg.ClusterID)
	if err != nil {
		return err
	}
	uncached, err := uncachedClient(cfg.Target)
	if err != nil {
		return err
	}
	w := wiring{
		source: source, uncached: uncached, cfg: cfg, clusterID: clusterID,
		name: func(duty string) string { return "resourcemanager-" + cfg.Name + "-" + duty },
	}
	for _, add := range []func() error{
		w.managedResources, w.garbageCollector, w.tokenRequestor, w.tokenInvalidator, w.rootCAPublisher, w.csrApprover, w.nodes, w.networkPolicies,
		w.webhooks,
	} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// uncachedClient shares connections and discovery with the cluster, but not its caches. A target has many objects, and
// each is needed only once a minute.
func uncachedClient(target cluster.Cluster) (client.Client, error) {
	uncached, err := client.New(target.GetConfig(), client.Options{
		HTTPClient: target.GetHTTPClient(), Scheme: target.GetScheme(), Mapper: target.GetRESTMapper(),
	})
	if err != nil {
		return nil, fmt.Errorf("make client of the target: %w", err)
	}
	return uncached, nil
}
