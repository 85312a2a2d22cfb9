package care

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the runtime cluster.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "operator-garden-care"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		For(&operatorv1alpha1.Garden{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: relevant})).
		Watches(&resourcesv1alpha1.ManagedResource{}, handler.EnqueueRequestsFromMapFunc(r.all), builder.WithPredicates(ofGarden())).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// relevant passes changes of the spec, of the state of the last operation, and of the conditions, which somebody else may have
// overwritten.
func relevant(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*operatorv1alpha1.Garden), e.ObjectNew.(*operatorv1alpha1.Garden)
	return before.Generation != after.Generation || !equality.Semantic.DeepEqual(before.Status.Conditions, after.Status.Conditions) ||
		state(before.Status.LastOperation) != state(after.Status.LastOperation)
}

// ofGarden passes ManagedResources of the namespace garden whose state has changed.
func ofGarden() predicate.Predicate {
	in := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetNamespace() == constants.GardenNamespace })
	return predicate.And(in, predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*resourcesv1alpha1.ManagedResource), e.ObjectNew.(*resourcesv1alpha1.ManagedResource)
		return before.Generation != after.Generation || !equality.Semantic.DeepEqual(before.Status, after.Status)
	}})
}

func (r *Reconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	gardens := &operatorv1alpha1.GardenList{}
	if err := r.Runtime.List(ctx, gardens); err != nil {
		return nil // the cache of Gardens is filled before events arrive
	}
	var requests []reconcile.Request
	for i := range gardens.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&gardens.Items[i])})
	}
	return requests
}
