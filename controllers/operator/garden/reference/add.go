package reference

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the runtime cluster.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "operator-garden-reference"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&operatorv1alpha1.Garden{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: relevant})).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.gardensOf(kindSecret)), builder.WithPredicates(unprotected())).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.gardensOf(kindConfigMap)), builder.WithPredicates(unprotected())).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func relevant(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*operatorv1alpha1.Garden), e.ObjectNew.(*operatorv1alpha1.Garden)
	return !equality.Semantic.DeepEqual(References(&before.Spec), References(&after.Spec)) ||
		!equality.Semantic.DeepEqual(before.Finalizers, after.Finalizers) ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
}

// unprotected passes objects of the namespace garden that are new or have lost the finalizer.
func unprotected() predicate.Predicate {
	lacks := predicate.NewPredicateFuncs(func(object client.Object) bool {
		return object.GetNamespace() == constants.GardenNamespace && !controllerutil.ContainsFinalizer(object, finalizer)
	})
	lacks.DeleteFunc = func(event.DeleteEvent) bool { return false }
	return lacks
}

// gardensOf returns a function that maps an object to the Gardens that refer to it.
func (r *Reconciler) gardensOf(kind string) handler.MapFunc {
	return func(ctx context.Context, object client.Object) []reconcile.Request {
		gardens := &operatorv1alpha1.GardenList{}
		if err := r.Client.List(ctx, gardens); err != nil {
			return nil // the cache of Gardens is filled before events arrive
		}
		var requests []reconcile.Request
		for i := range gardens.Items {
			if needs(&gardens.Items[i])[Reference{kind, object.GetName()}] {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&gardens.Items[i])})
			}
		}
		return requests
	}
}
