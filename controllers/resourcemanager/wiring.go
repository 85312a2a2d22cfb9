package resourcemanager

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/internal/webhook"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/csrapprover"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/drift"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/garbagecollector"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/networkpolicy"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/node"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/rootcapublisher"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokeninvalidator"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/tokenrequestor"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// wiring gives each duty its clients. Each method adds one duty if it is configured.
type wiring struct {
	source    manager.Manager
	target    cluster.Cluster
	uncached  client.Client // of the target
	cfg       Config
	clusterID string
	name      func(duty string) string
}

func (w wiring) managedResources() error {
	watcher, err := drift.New(w.target.GetConfig(), w.target.GetHTTPClient(), resourcesv1alpha1.ManagedBy, w.cfg.ManagedByLabel)
	if err != nil {
		return err
	}
	r := &managedresource.Reconciler{
		Source: w.source.GetClient(), Reader: w.source.GetAPIReader(), Target: w.uncached, Clock: clock.RealClock{}, Drift: watcher,
		Class: w.cfg.Class, Namespaces: w.cfg.Namespaces, ClusterID: w.clusterID, ManagedByLabel: w.cfg.ManagedByLabel,
		SyncPeriod: w.cfg.SyncPeriod, AlwaysUpdate: w.cfg.AlwaysUpdate, GarbageCollected: w.cfg.GarbageCollectorPeriod > 0,
	}
	return r.AddToManager(w.source, w.name("managedresource"), w.cfg.ConcurrentSyncs)
}

func (w wiring) garbageCollector() error {
	if w.cfg.GarbageCollectorPeriod <= 0 {
		return nil
	}
	collector := &garbagecollector.Collector{
		Target: w.uncached, Clock: clock.RealClock{}, Period: w.cfg.GarbageCollectorPeriod, MinimumAge: w.cfg.GarbageCollectorMinimumAge,
	}
	if err := w.source.Add(collector); err != nil {
		return fmt.Errorf("add garbage collector: %w", err)
	}
	return nil
}

func (w wiring) tokenRequestor() error {
	if !w.cfg.TokenRequestor {
		return nil
	}
	r := &tokenrequestor.Reconciler{
		Source: w.source.GetClient(), Reader: w.source.GetAPIReader(), Target: w.uncached, Clock: clock.RealClock{},
		Class: w.cfg.TokenRequestorClass, ClusterID: w.clusterID, Namespaces: w.cfg.Namespaces, CABundle: w.target.GetConfig().CAData,
	}
	return r.AddToManager(w.source, w.name("tokenrequestor"), w.cfg.ConcurrentSyncs)
}

func (w wiring) tokenInvalidator() error {
	if w.cfg.TokenInvalidatorSyncs <= 0 {
		return nil
	}
	r := &tokeninvalidator.Reconciler{Target: w.uncached}
	return r.AddToManager(w.source, w.target, w.name("tokeninvalidator"), w.cfg.TokenInvalidatorSyncs, w.cfg.TargetNamespaces)
}

func (w wiring) rootCAPublisher() error {
	if w.cfg.RootCA == nil {
		return nil
	}
	r := &rootcapublisher.Reconciler{Target: w.uncached, RootCA: w.cfg.RootCA}
	return r.AddToManager(w.source, w.target, w.name("rootcapublisher"))
}

func (w wiring) csrApprover() error {
	if !w.cfg.CSRApprover {
		return nil
	}
	r := &csrapprover.Reconciler{Source: w.source.GetAPIReader(), Target: w.uncached, MachineNamespace: w.cfg.MachineNamespace}
	return r.AddToManager(w.source, w.target, w.name("csrapprover"))
}

func (w wiring) nodes() error {
	if !w.cfg.NodeController {
		return nil
	}
	r := &node.Reconciler{Target: w.uncached, Backoff: w.cfg.NodeBackoff}
	return r.AddToManager(w.source, w.target, w.name("node"), w.cfg.ConcurrentSyncs)
}

func (w wiring) networkPolicies() error {
	policies := w.cfg.NetworkPolicies
	if !policies.Enabled {
		return nil
	}
	r := &networkpolicy.Reconciler{Target: w.uncached, Selectors: policies.NamespaceSelectors, Ingress: policies.IngressControllerSelector}
	return r.AddToManager(w.source, w.target, w.name("networkpolicy"), max(policies.ConcurrentSyncs, 1))
}

func (w wiring) webhooks() error {
	server := w.cfg.Webhook
	if server.Name == "" {
		return nil
	}
	err := w.source.Add(&webhook.Server{
		Name: server.Name, Hooks: hooks(w.cfg, w.uncached), Clock: clock.RealClock{},
		Source: w.source.GetClient(), Reader: w.source.GetAPIReader(), Target: w.uncached,
		Secret:      types.NamespacedName{Namespace: server.Namespace, Name: server.Name + "-server"},
		BindAddress: server.BindAddress, Service: server.Service, URL: server.URL, CertDir: server.CertDir,
	})
	if err != nil {
		return fmt.Errorf("add webhooks: %w", err)
	}
	return nil
}
