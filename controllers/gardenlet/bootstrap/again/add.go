// Package again lets a gardenlet that runs bootstrap again: when its kubeconfig for the garden was removed from the seed, and somebody has
// written another bootstrap kubeconfig. A ManagedSeed with the operation renew-kubeconfig gets both.
package again

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Access is the access of a gardenlet to the garden.
type Access interface {
	// Secrets are the Secrets of the seed with the kubeconfigs of the gardenlet.
	Secrets() []corev1.SecretReference
	// BootstrapAgain requests a certificate with a bootstrap token if the Secrets ask for it, and else does nothing.
	BootstrapAgain(context.Context) error
}

// Reconciler follows the Secrets of one gardenlet. All fields are required.
type Reconciler struct {
	Access   Access
	SeedName string
}

// AddToManager adds the controller to the manager of the seed. It watches metadata of the Secrets only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-bootstrap"
	namespaces := map[string]cache.Config{}
	for _, ref := range r.Access.Secrets() {
		namespaces[ref.Namespace] = cache.Config{}
	}
	secrets, err := owncache.New(mgr, mgr, cache.Options{DefaultTransform: cache.TransformStripManagedFields(), DefaultNamespaces: namespaces})
	if err != nil {
		return fmt.Errorf("make cache of the gardenlet's Secrets: %w", err)
	}
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err = builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(secrets, metadata, handler.TypedEnqueueRequestsFromMapFunc(r.same), predicate.NewTypedPredicateFuncs(r.watched))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// watched reports whether the Secret is one of the gardenlet's.
func (r *Reconciler) watched(secret *metav1.PartialObjectMetadata) bool {
	return slices.Contains(r.Access.Secrets(), corev1.SecretReference{Namespace: secret.Namespace, Name: secret.Name})
}

// same is one request for all Secrets.
func (r *Reconciler) same(context.Context, *metav1.PartialObjectMetadata) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: r.SeedName}}}
}

// Reconcile lets the gardenlet look at its Secrets.
func (r *Reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	return reconcile.Result{}, r.Access.BootstrapAgain(ctx)
}
