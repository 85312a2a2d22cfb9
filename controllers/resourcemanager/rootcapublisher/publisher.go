// Package rootcapublisher writes ConfigMap kube-root-ca.crt into every namespace of the target. It is for clusters
// whose controller manager does not.
package rootcapublisher

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Name of the ConfigMap, as the projected volumes of pods expect it; the key is ca.crt.
const Name = "kube-root-ca.crt"

// Reconciler handles namespaces.
type Reconciler struct {
	Name    string          // of the controller, unique in the process
	Target  client.Client   // uncached
	Cluster cluster.Cluster // the target, for the controller's own cache
	RootCA  []byte          // PEM
}

// AddToManager adds the controller. It has a cache of its own, of metadata of namespaces and of the ConfigMaps with the
// name only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	own, err := owncache.New(mgr, r.Cluster, cache.Options{
		ByObject: map[client.Object]cache.ByObject{metadata("ConfigMap"): {Field: fields.OneTermEqualSelector("metadata.name", Name)}},
	})
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", r.Name, err)
	}
	byNamespace := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, object *metav1.PartialObjectMetadata) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: object.Namespace}}}
	})
	err = builder.ControllerManagedBy(mgr).Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(own, metadata("Namespace"), &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{})).
		WatchesRawSource(source.Kind(own, metadata("ConfigMap"), byNamespace)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

// Reconcile writes the ConfigMap of one namespace.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	namespace := metadata("Namespace")
	if err := r.Target.Get(ctx, types.NamespacedName{Name: request.Name}, namespace); err != nil || namespace.DeletionTimestamp != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	key := types.NamespacedName{Namespace: request.Name, Name: Name}
	published := &corev1.ConfigMap{}
	err := r.Target.Get(ctx, key, published)
	switch {
	case apierrors.IsNotFound(err):
		published = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Data: map[string]string{"ca.crt": string(r.RootCA)}}
		err = r.Target.Create(ctx, published)
	case err == nil && (len(published.Data) != 1 || published.Data["ca.crt"] != string(r.RootCA)):
		published.Data = map[string]string{"ca.crt": string(r.RootCA)}
		err = r.Target.Update(ctx, published)
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("publish root certificate in namespace %q: %w", request.Name, err)
	}
	return reconcile.Result{}, nil
}

func metadata(kind string) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return object
}
