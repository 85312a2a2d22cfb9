// Package jobs has what is the same for all controllers that make Jobs of the component for backups.
package jobs

import (
	"net/netip"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/share"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Inputs of a reconciler that makes Jobs.
type Inputs struct {
	// Client reads Jobs, and the objects that they are made for, from a cache.
	Client client.Client
	// Reader reads all other objects, which happens rarely, from the API server.
	Reader client.Reader
	Clock  clock.PassiveClock
	// Image of the Job: the appliance image.
	Image string
	// Pods signs the pods of the Job; nil signs none.
	Pods *podsignature.Signer
	// Backups is the directory of backup buckets on nodes; empty if there is none.
	Backups string
	// PrivateNetworks are the private networks that object stores may be in.
	PrivateNetworks []netip.Prefix
	// Share of the objects that this druid serves.
	Share share.Share
}

// Add adds a reconciler of a kind, which runs when an object or one of its Jobs changes.
func (in Inputs) Add(mgr manager.Manager, name string, kind client.Object, reconciler reconcile.Reconciler, options workers.Options) error {
	return builder.ControllerManagedBy(mgr).
		Named(name).
		For(kind).
		Owns(&batchv1.Job{}).
		WithOptions(options.Controller()).
		Complete(share.Limit(reconciler, in.Reader, kind, in.Share))
}

// Local reports whether a store is in the directory of backup buckets.
func (in Inputs) Local(at *druidv1alpha1.StoreSpec) bool {
	return in.Backups != "" && strings.EqualFold(string(ptr.Deref(at.Provider, "")), location.Local)
}

// Remote reports whether a store is an object store, which Jobs reach with the credentials in its Secret.
func Remote(at *druidv1alpha1.StoreSpec) (provider string, is bool) {
	provider, is = location.Remote(string(ptr.Deref(at.Provider, "")))
	return provider, is && at.SecretRef != nil
}
