package resourcemanager

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// Config says which parts of a resource manager run, and how. The zero value handles ManagedResources of the default
// class and nothing else.
type Config struct {
	// Target is the cluster to which ManagedResources are applied. Its scheme must know core/v1. If CSRApprover or
	// NodeController is set, the caller has to start it, e.g. by adding it to the manager of the source. Default: the
	// cluster of the source.
	Target cluster.Cluster
	// Name makes the names of the controllers unique in the process: "resourcemanager-<name>-…". Default: the class.
	Name string
	// Class is the class of ManagedResources to handle. Default: managedresource.DefaultClass.
	Class string
	// Namespaces of the source whose ManagedResources and Secrets are handled; empty means all. The cache of the source
	// must hold at least these namespaces.
	Namespaces []string
	// TargetNamespaces limit token invalidation and webhooks to some namespaces of the target; empty means all.
	TargetNamespaces []string
	// ClusterID goes into the origin annotation of managed objects. ClusterIDFromCluster and ClusterIDOrNone read it
	// from the source cluster. Default: none.
	ClusterID string
	// ManagedByLabel is the value of the managed-by label. Default: "gardener".
	ManagedByLabel string
	// SyncPeriod is how often healthy ManagedResources are compared with the target. Default: one minute.
	SyncPeriod time.Duration
	// AlwaysUpdate writes objects at every sync even if they do not seem to differ.
	AlwaysUpdate bool
	// ConcurrentSyncs is how many ManagedResources, and how many Secrets, are handled at a time. Default: 5.
	ConcurrentSyncs int
	// GarbageCollectorPeriod is the interval for deleting unused Secrets and ConfigMaps; 0 means never.
	// GarbageCollectorMinimumAge is the minimum age of deleted objects. Default: ten minutes.
	GarbageCollectorPeriod     time.Duration
	GarbageCollectorMinimumAge time.Duration
	// TokenRequestor fills token Secrets. TokenRequestorClass limits it to Secrets of that class or without a class.
	// TokenRequestorSyncs is how many of them are filled at a time. Default: ConcurrentSyncs.
	TokenRequestor      bool
	TokenRequestorClass string
	TokenRequestorSyncs int
	// TokenInvalidatorSyncs is how many static tokens are invalidated at a time; 0 turns that off.
	TokenInvalidatorSyncs int
	// RootCA is published in every namespace of the target, in RootCASyncs at a time; nil turns publishing off. Default: 1.
	RootCA      []byte
	RootCASyncs int
	// CSRApprover approves serving certificates of kubelets in the target. If MachineNamespace is set, it approves only
	// those of nodes that have a Machine in that namespace of the source. CSRApproverSyncs is how many it handles at a
	// time. Default: 1.
	CSRApprover      bool
	MachineNamespace string
	CSRApproverSyncs int
	// NodeController removes the taint of nodes whose critical components run. NodeBackoff is the interval for checking
	// a node that is not ready. Default: ten seconds. NodeSyncs is how many nodes are handled at a time. Default:
	// ConcurrentSyncs.
	NodeController bool
	NodeBackoff    time.Duration
	NodeSyncs      int
	// NetworkPolicies enables deriving network policies from Services of the target.
	NetworkPolicies config.NetworkPolicy
	// Webhooks selects the webhooks to serve at Webhook and to register.
	Webhooks config.Webhooks
	Webhook  WebhookServer
}

// WebhookServer says how API servers reach the webhooks. Without Name nothing is registered, and registrations of
// earlier runs stay.
type WebhookServer struct {
	// Name is the name of the webhook configurations in the target.
	Name string
	// BindAddress is host:port to listen on.
	BindAddress string
	// Service is the Service through which the API server reaches this process. Without it URL is used, and without URL
	// the address listened on.
	Service *admissionregistrationv1.ServiceReference
	URL     string
	// Namespace of the source for the Secret with the certificates.
	Namespace string
	// CertDir contains the files tls.crt, tls.key and optionally ca.crt that something else renews. Without CertDir and
	// Certificates the process makes its own certificates.
	CertDir      string
	Certificates webhook.Certificates
}

func (c Config) withDefaults() Config {
	c.Class = cmp.Or(c.Class, managedresource.DefaultClass)
	c.Name = cmp.Or(c.Name, c.Class)
	c.ManagedByLabel = cmp.Or(c.ManagedByLabel, "gardener")
	c.SyncPeriod = cmp.Or(c.SyncPeriod, time.Minute)
	c.ConcurrentSyncs = cmp.Or(c.ConcurrentSyncs, 5)
	c.TokenRequestorSyncs, c.NodeSyncs = cmp.Or(c.TokenRequestorSyncs, c.ConcurrentSyncs), cmp.Or(c.NodeSyncs, c.ConcurrentSyncs)
	c.RootCASyncs, c.CSRApproverSyncs = cmp.Or(c.RootCASyncs, 1), cmp.Or(c.CSRApproverSyncs, 1)
	c.NodeBackoff = cmp.Or(c.NodeBackoff, 10*time.Second)
	c.GarbageCollectorMinimumAge = cmp.Or(c.GarbageCollectorMinimumAge, 10*time.Minute)
	return c
}

func (c Config) validate() error {
	var errs []error
	if c.SyncPeriod < time.Second {
		errs = append(errs, fmt.Errorf("sync period %s is shorter than a second", c.SyncPeriod))
	}
	if c.ConcurrentSyncs < 1 {
		errs = append(errs, fmt.Errorf("concurrent syncs %d is less than 1", c.ConcurrentSyncs))
	}
	if c.Webhook.Name == "" && len(hooks(c, nil)) > 0 {
		errs = append(errs, errors.New("webhooks are enabled without a server for them"))
	}
	return errors.Join(errs...)
}
