package managedresource

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// delete removes all objects of a ManagedResource that is being deleted, and then its finalizer. It also handles
// ignored ManagedResources, whose objects would otherwise stay forever.
func (p *pass) delete(ctx context.Context) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(p.resource, Finalizer(p.settings.Class)) {
		return reconcile.Result{}, nil
	}
	remaining, err := p.remover().Remove(ctx, p.resource.Status.Resources)
	p.resource.Status.Resources = remaining
	p.resource.Status.ObservedGeneration = p.resource.Generation
	if err != nil {
		p.report.Applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionDeletionFailed, err.Error())
		return reconcile.Result{}, errors.Join(err, p.saveStatus(ctx))
	}
	if len(remaining) > 0 {
		p.report.Applied(gardencorev1beta1.ConditionProgressing, resourcesv1alpha1.ConditionDeletionPending, fmt.Sprintf("%d resources are still being deleted, for example %s %s/%s.",
			len(remaining), remaining[0].Kind, remaining[0].Namespace, remaining[0].Name))
		return reconcile.Result{RequeueAfter: p.pace()}, p.saveStatus(ctx)
	}
	if err := p.keeper.Release(ctx, p.resource); err != nil {
		return reconcile.Result{}, err
	}
	p.changes.forget()
	return reconcile.Result{}, p.removeFinalizer(ctx)
}
