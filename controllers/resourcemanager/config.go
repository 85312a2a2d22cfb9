package resourcemanager

import (
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource"
)

// Config says which parts of a resource manager run, and how. The zero value handles ManagedResources of the default
// class and nothing else.
type Config struct {
	// Name makes the names of the controllers unique in the process: "resourcemanager-<name>-…". Default: the class.
	Name string
	// Class is the class of ManagedResources to handle. Default: managedresource.DefaultClass.
	Class string
	// Namespaces of the source whose ManagedResources and Secrets are handled; empty means all. The cache of the source
	// may hold more than these, not less.
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
	// AlwaysUpdate writes objects at every sync even where nothing seems to differ.
	AlwaysUpdate bool
	// ConcurrentSyncs is how many ManagedResources, and how many Secrets, are handled at a time. Default: 5.
	ConcurrentSyncs int
	// GarbageCollectorPeriod is how often Secrets and ConfigMaps are looked for that nobody uses; 0 means never.
	// GarbageCollectorMinimumAge spares younger ones. Default: ten minutes.
	GarbageCollectorPeriod     time.Duration
	GarbageCollectorMinimumAge time.Duration
	// TokenRequestor fills token Secrets, TokenRequestorClass limits it to Secrets of that class or without one.
	TokenRequestor      bool
	TokenRequestorClass string
	// TokenInvalidatorSyncs is how many static tokens are invalidated at a time; 0 turns that off.
	TokenInvalidatorSyncs int
	// RootCA is published in every namespace of the target; nil turns that off.
	RootCA []byte
	// CSRApprover approves serving certificates of kubelets in the target; with MachineNamespace set only for nodes
	// of Machines in that namespace of the source.
	CSRApprover      bool
	MachineNamespace string
	// NodeController removes the taint of nodes whose critical components run; NodeBackoff is how soon it looks again.
	// Default: ten seconds.
	NodeController bool
	NodeBackoff    time.Duration
	// NetworkPolicies are derived from Services of the target if that is enabled.
	NetworkPolicies config.NetworkPolicy
	// Webhooks are served and registered as far as they are enabled, at Webhook.
	Webhooks config.Webhooks
	Webhook  WebhookServer
}

// WebhookServer says how API servers reach webhooks. Without Name nothing is registered, and nothing taken back that
// earlier runs registered.
type WebhookServer struct {
	// Name is that of the webhook configurations in the target.
	Name string
	// BindAddress is host:port to listen on.
	BindAddress string
	// Service is how the API server reaches this process; without it URL is, and without that the address listened on.
	Service *admissionregistrationv1.ServiceReference
	URL     string
	// Namespace of the source for the Secret with the certificates.
	Namespace string
	// CertDir has files tls.crt, tls.key and perhaps ca.crt that somebody else renews. Without it the process makes its own.
	CertDir string
}

func (c Config) withDefaults() Config {
	fallback(&c.Class, managedresource.DefaultClass)
	fallback(&c.Name, c.Class)
	fallback(&c.ManagedByLabel, "gardener")
	fallback(&c.SyncPeriod, time.Minute)
	fallback(&c.ConcurrentSyncs, 5)
	fallback(&c.NodeBackoff, 10*time.Second)
	fallback(&c.GarbageCollectorMinimumAge, 10*time.Minute)
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

func fallback[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
