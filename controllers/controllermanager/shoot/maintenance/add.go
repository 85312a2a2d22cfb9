package maintenance

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

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Changed profiles wake their Shoots.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-shoot-maintenance"
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: relevant})).
		Watches(&gardencorev1beta1.CloudProfile{}, handler.EnqueueRequestsFromMapFunc(r.shootsOf(helper.KindCloudProfile)), changed).
		Watches(&gardencorev1beta1.NamespacedCloudProfile{}, handler.EnqueueRequestsFromMapFunc(r.shootsOf(helper.KindNamespacedCloudProfile))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// relevant passes a change of the maintenance settings, a request for maintenance, and the end of a creation.
func relevant(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Shoot), e.ObjectNew.(*gardencorev1beta1.Shoot)
	return before.Annotations[constants.GardenerOperation] != after.Annotations[constants.GardenerOperation] ||
		isBeingMade(before) != isBeingMade(after) || !equality.Semantic.DeepEqual(before.Spec.Maintenance, after.Spec.Maintenance)
}

func (r *Reconciler) shootsOf(kind string) handler.MapFunc {
	return func(ctx context.Context, profile client.Object) []reconcile.Request {
		shoots := &gardencorev1beta1.ShootList{}
		if err := r.Client.List(ctx, shoots, client.InNamespace(profile.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			return nil // the next maintenance window wakes the Shoot
		}
		var requests []reconcile.Request
		for i := range shoots.Items {
			ref := helper.CloudProfileReference(&shoots.Items[i].Spec)
			if ref != nil && ref.Kind == kind && ref.Name == profile.GetName() {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&shoots.Items[i])})
			}
		}
		return requests
	}
}
