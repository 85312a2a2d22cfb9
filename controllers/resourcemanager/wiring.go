package resourcemanager

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
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
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// firstRetry is the wait after the first error. Most errors of a target are over soon.
const firstRetry = 250 * time.Millisecond

// wiring gives each duty its clients. Each method adds one duty if it is configured.
type wiring struct {
	source    manager.Manager
	uncached  client.Client // of the target
	cfg       Config
	clusterID string
	name      func(duty string) string
}

func (w wiring) managedResources() error {
	watcher, err := drift.New(w.cfg.Target.GetConfig(), w.cfg.Target.GetHTTPClient(), resourcesv1alpha1.ManagedBy, w.cfg.ManagedByLabel)
	if err != nil {
		return err
	}
	r := &managedresource.Reconciler{
		Name:   w.name("managedresource"),
		Source: w.source.GetClient(), Reader: w.source.GetAPIReader(), Target: w.uncached, Clock: clock.RealClock{}, Drift: watcher,
		Class: w.cfg.Class, Namespaces: w.cfg.Namespaces, ClusterID: w.clusterID, ManagedByLabel: w.cfg.ManagedByLabel,
		SyncPeriod: w.cfg.SyncPeriod, AlwaysUpdate: w.cfg.AlwaysUpdate, GarbageCollected: w.cfg.GarbageCollectorPeriod > 0,
	}
	// Most errors are caused by the order of objects.
	return r.AddToManager(w.source, workers.Options{Count: w.cfg.ConcurrentSyncs, FirstRetry: firstRetry, LastRetry: 10 * time.Second})
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
		Name:   w.name("tokenrequestor"),
		Source: w.source.GetClient(), Reader: w.source.GetAPIReader(), Target: w.uncached, Clock: clock.RealClock{},
		Class: w.cfg.TokenRequestorClass, ClusterID: w.clusterID, Namespaces: w.cfg.Namespaces, CABundle: w.cfg.Target.GetConfig().CAData,
	}
	return r.AddToManager(w.source, workers.Options{Count: w.cfg.TokenRequestorSyncs, FirstRetry: firstRetry, LastRetry: 30 * time.Second})
}

func (w wiring) tokenInvalidator() error {
	if w.cfg.TokenInvalidatorSyncs <= 0 {
		return nil
	}
	r := &tokeninvalidator.Reconciler{
		Name: w.name("tokeninvalidator"), Target: w.uncached, Cluster: w.cfg.Target, Namespaces: w.cfg.TargetNamespaces,
	}
	return r.AddToManager(w.source, workers.Options{Count: w.cfg.TokenInvalidatorSyncs, FirstRetry: firstRetry, LastRetry: 30 * time.Second})
}

func (w wiring) rootCAPublisher() error {
	if w.cfg.RootCA == nil {
		return nil
	}
	r := &rootcapublisher.Reconciler{Name: w.name("rootcapublisher"), Target: w.uncached, Cluster: w.cfg.Target, RootCA: w.cfg.RootCA}
	return r.AddToManager(w.source, workers.Options{Count: w.cfg.RootCASyncs})
}

func (w wiring) csrApprover() error {
	if !w.cfg.CSRApprover {
		return nil
	}
	r := &csrapprover.Reconciler{
		Name: w.name("csrapprover"), Source: w.source.GetAPIReader(), Target: w.uncached, Cache: w.cfg.Target.GetCache(),
		MachineNamespace: w.cfg.MachineNamespace,
	}
	return r.AddToManager(w.source, workers.Options{Count: w.cfg.CSRApproverSyncs})
}

func (w wiring) nodes() error {
	if !w.cfg.NodeController {
		return nil
	}
	r := &node.Reconciler{Name: w.name("node"), Target: w.uncached, Cache: w.cfg.Target.GetCache(), Backoff: w.cfg.NodeBackoff}
	return r.AddToManager(w.source, workers.Options{Count: w.cfg.NodeSyncs})
}

func (w wiring) networkPolicies() error {
	policies := w.cfg.NetworkPolicies
	if !policies.Enabled {
		return nil
	}
	name := w.name("networkpolicy")
	own, err := owncache.New(w.source, w.cfg.Target, cache.Options{DefaultTransform: cache.TransformStripManagedFields()})
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", name, err)
	}
	r := &networkpolicy.Reconciler{
		Name: name, Target: w.uncached, Cache: own, Selectors: policies.NamespaceSelectors, Ingress: policies.IngressControllerSelector,
	}
	return r.AddToManager(w.source, workers.Options{Count: max(policies.ConcurrentSyncs, 1)})
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
		BindAddress: server.BindAddress, Service: server.Service, URL: server.URL, CertDir: server.CertDir, Certificates: server.Certificates,
	})
	if err != nil {
		return fmt.Errorf("add webhooks: %w", err)
	}
	return nil
}
