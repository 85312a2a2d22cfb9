package networkpolicy

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller. It watches Services, network policies, metadata of namespaces, and Ingresses if they
// matter.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	b := builder.ControllerManagedBy(mgr).Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(r.Cache, &corev1.Service{}, &handler.TypedEnqueueRequestForObject[*corev1.Service]{})).
		WatchesRawSource(source.Kind(r.Cache, &networkingv1.NetworkPolicy{}, handler.TypedEnqueueRequestsFromMapFunc(serviceOf))).
		WatchesRawSource(source.Kind(r.Cache, namespaceMetadata(), handler.TypedEnqueueRequestsFromMapFunc(r.everyService)))
	if r.Ingress != nil {
		b = b.WatchesRawSource(source.Kind(r.Cache, &networkingv1.Ingress{}, handler.TypedEnqueueRequestsFromMapFunc(r.neighbours)))
	}
	if err := b.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

func serviceOf(_ context.Context, policy *networkingv1.NetworkPolicy) []reconcile.Request {
	if policy.Labels[labelName] == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: policy.Labels[labelNamespace], Name: policy.Labels[labelName]}}}
}

// everyService returns all Services, since a change of a namespace may change which of them are selected.
func (r *Reconciler) everyService(ctx context.Context, _ *metav1.PartialObjectMetadata) []reconcile.Request {
	return r.services(ctx)
}

// neighbours returns all Services of the namespace, since the Ingress may have led to another one before.
func (r *Reconciler) neighbours(ctx context.Context, ingress *networkingv1.Ingress) []reconcile.Request {
	return r.services(ctx, client.InNamespace(ingress.Namespace))
}

func (r *Reconciler) services(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	list := &corev1.ServiceList{}
	if err := r.Cache.List(ctx, list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil // the cache ends; its successor reports all objects again
	}
	var requests []reconcile.Request
	for i := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return requests
}

// has reports whether a policy exists as desired.
func has(existing []networkingv1.NetworkPolicy, wanted *networkingv1.NetworkPolicy) bool {
	for i := range existing {
		policy := &existing[i]
		if policy.Name == wanted.Name && policy.Namespace == wanted.Namespace {
			return equality.Semantic.DeepEqual(policy.Spec, wanted.Spec) && maps.Equal(policy.Labels, wanted.Labels)
		}
	}
	return false
}

func namespaceMetadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return object
}

func metadataList() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	return list
}
