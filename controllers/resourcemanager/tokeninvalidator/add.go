package tokeninvalidator

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller. It has a cache of its own: metadata of token Secrets and of ServiceAccounts.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	own, err := owncache.New(mgr, r.Cluster, cached(r.Namespaces))
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", r.Name, err)
	}
	siblings := handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, account *metav1.PartialObjectMetadata) []reconcile.Request {
		return secretsOf(ctx, own, account)
	})
	err = builder.ControllerManagedBy(mgr).Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(own, metadata("Secret"), &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{})).
		WatchesRawSource(source.Kind(own, metadata("ServiceAccount"), siblings)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

func cached(namespaces []string) cache.Options {
	options := cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			metadata("Secret"): {Field: fields.OneTermEqualSelector("type", string(corev1.SecretTypeServiceAccountToken))},
		},
	}
	if len(namespaces) > 0 {
		options.DefaultNamespaces = map[string]cache.Config{}
		for _, namespace := range namespaces {
			options.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	return options
}

func secretsOf(ctx context.Context, reader client.Reader, account *metav1.PartialObjectMetadata) []reconcile.Request {
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := reader.List(ctx, secrets, client.InNamespace(account.Namespace)); err != nil {
		return nil // the cache ends; its successor reports all objects again
	}
	var requests []reconcile.Request
	for i := range secrets.Items {
		if secret := &secrets.Items[i]; secret.Annotations[corev1.ServiceAccountNameKey] == account.Name {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(secret)})
		}
	}
	return requests
}

func metadata(kind string) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return object
}
