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
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// AddToManager adds the controller under the given name, which must be unique in the process. It has a cache of its own:
// metadata of token Secrets and of ServiceAccounts. An empty list of namespaces means all.
func (r *Reconciler) AddToManager(mgr manager.Manager, target cluster.Cluster, name string, concurrency int, namespaces []string) error {
	own, err := newCache(target, namespaces)
	if err == nil {
		err = mgr.Add(own)
	}
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", name, err)
	}
	siblings := handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, account *metav1.PartialObjectMetadata) []reconcile.Request {
		return secretsOf(ctx, own, account)
	})
	err = builder.ControllerManagedBy(mgr).Named(name).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency, RateLimiter: limiter()}).
		WatchesRawSource(source.Kind(own, metadata("Secret"), &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{})).
		WatchesRawSource(source.Kind(own, metadata("ServiceAccount"), siblings)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func newCache(target cluster.Cluster, namespaces []string) (cache.Cache, error) {
	options := cache.Options{
		HTTPClient: target.GetHTTPClient(), Scheme: target.GetScheme(), Mapper: target.GetRESTMapper(),
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
	return cache.New(target.GetConfig(), options)
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
