package managedresource

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the source cluster. Of Secrets it watches metadata only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	b := builder.ControllerManagedBy(mgr).
		Named(r.Name).
		WithOptions(options.Controller()).
		For(&resourcesv1alpha1.ManagedResource{}, builder.WithPredicates(r.ours(), predicate.Or[client.Object](
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{},
		))).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.referrers))
	if r.Drift != nil {
		b = b.WatchesRawSource(source.Func(r.watchTarget))
	}
	if err := b.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

// watchTarget adds ManagedResources to the queue when others change their objects.
func (r *Reconciler) watchTarget(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.Drift.Run(ctx, func(owner types.NamespacedName) {
		r.verified.Forget(owner) // the next pass must read everything
		queue.Add(reconcile.Request{NamespacedName: owner})
	})
	return nil
}

func (r *Reconciler) ours() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		resource, ok := object.(*resourcesv1alpha1.ManagedResource)
		return ok && r.responsible(resource)
	})
}

// referrers finds the ManagedResources that refer to a Secret.
func (r *Reconciler) referrers(ctx context.Context, secret client.Object) []reconcile.Request {
	resources := &resourcesv1alpha1.ManagedResourceList{}
	if err := r.Source.List(ctx, resources, client.InNamespace(secret.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache is not ready; the initial list of ManagedResources wakes all of them
	}
	var requests []reconcile.Request
	for i := range resources.Items {
		resource := &resources.Items[i]
		if r.responsible(resource) && refersTo(resource, secret.GetName()) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(resource)})
		}
	}
	return requests
}

func refersTo(resource *resourcesv1alpha1.ManagedResource, secret string) bool {
	for _, ref := range resource.Spec.SecretRefs {
		if ref.Name == secret {
			return true
		}
	}
	return false
}
