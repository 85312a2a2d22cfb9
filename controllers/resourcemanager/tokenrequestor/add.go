package tokenrequestor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/internal/awake"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the source cluster. It watches metadata of Secrets only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	secrets := r.Cache
	if secrets == nil {
		secrets = mgr.GetCache()
	}
	err := builder.ControllerManagedBy(mgr).
		Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(secrets, Metadata(), &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{},
			predicate.NewTypedPredicateFuncs(func(secret *metav1.PartialObjectMetadata) bool { return r.responsible(secret.Labels) }))).
		WatchesRawSource(source.Func(r.sweep)).
		WatchesRawSource(awake.Source(clock.RealClock{}, func(ctx context.Context) ([]reconcile.Request, error) { return r.all(ctx, secrets) })).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

// all are the Secrets that the controller fills.
func (r *Reconciler) all(ctx context.Context, secrets client.Reader) ([]reconcile.Request, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := secrets.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list secrets with tokens: %w", err)
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if r.responsible(list.Items[i].Labels) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return requests, nil
}

// Metadata is the object that stands for Secrets in caches of metadata.
func Metadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}
