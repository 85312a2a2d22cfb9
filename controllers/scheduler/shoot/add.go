package shoot

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "scheduler-shoot"
	r.assumed = map[types.UID]string{}
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(
			predicate.NewPredicateFuncs(func(object client.Object) bool {
				shoot, ok := object.(*gardencorev1beta1.Shoot)
				return ok && needsSeed(shoot)
			}), predicate.GenerationChangedPredicate{},
		)).
		Watches(&gardencorev1beta1.Seed{}, handler.EnqueueRequestsFromMapFunc(r.waiting), builder.WithPredicates(becameUsable())).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// waiting returns all Shoots that need a seed.
func (r *Reconciler) waiting(ctx context.Context, _ client.Object) []reconcile.Request {
	shoots := &gardencorev1beta1.ShootList{}
	if err := r.Client.List(ctx, shoots); err != nil {
		return nil // they are retried anyway
	}
	var requests []reconcile.Request
	for i := range shoots.Items {
		if needsSeed(&shoots.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&shoots.Items[i])})
		}
	}
	return requests
}

// becameUsable passes events that may make a seed usable for more shoots: it is new, its spec or labels changed, or it
// became ready.
func becameUsable() predicate.Predicate {
	return predicate.Funcs{
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld.(*gardencorev1beta1.Seed), e.ObjectNew.(*gardencorev1beta1.Seed)
			if before.Generation != after.Generation || (predicate.LabelChangedPredicate{}).Update(e) {
				return true
			}
			return isUsable(nil, before) != nil && isUsable(nil, after) == nil
		},
	}
}
