package managedresource

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/remove"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/status"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// apply brings a ManagedResource that is not being deleted up to date.
func (p *pass) apply(ctx context.Context) (reconcile.Result, error) {
	data, err := p.keeper.Read(ctx, p.resource)
	if err != nil {
		p.report.Applied(gardencorev1beta1.ConditionFalse, status.CannotReadSecret, err.Error())
		return reconcile.Result{}, err
	}
	objects, err := p.decoder().Objects(data.Secrets)
	if err != nil {
		p.report.Applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionDecodingFailed, err.Error())
		return reconcile.Result{RequeueAfter: p.settings.SyncPeriod}, nil // only a changed Secret helps, and it wakes the ManagedResource
	}
	tracked, gaps := p.report.Listed(), p.changes.gaps() // before anything is written
	unchanged := !p.settings.AlwaysUpdate && p.report.AppliedBefore(data.Checksum)
	if !unchanged {
		if err := p.announce(ctx, objects); err != nil {
			return reconcile.Result{}, err
		}
	}
	live, err := p.phases(tracked, unchanged).Apply(ctx, objects)
	if err != nil {
		p.report.Applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionApplyFailed, err.Error())
		p.report.ChecksPending("The resources are not applied yet.")
		return reconcile.Result{}, err
	}
	remaining, err := p.remover().Remove(ctx, remove.Obsolete(p.resource, objects))
	p.report.Record(objects, remaining)
	if err != nil {
		p.report.Applied(gardencorev1beta1.ConditionFalse, resourcesv1alpha1.ConditionDeletionFailed, err.Error())
		return reconcile.Result{}, err
	}
	p.resource.Status.ObservedGeneration = p.resource.Generation
	p.resource.Status.SecretsDataChecksum = &data.Checksum
	if len(remaining) > 0 {
		p.report.Applied(gardencorev1beta1.ConditionProgressing, resourcesv1alpha1.ConditionDeletionPending, fmt.Sprintf("%d removed resources are still being deleted.", len(remaining)))
		p.report.Judge(live)
		return reconcile.Result{RequeueAfter: soon}, nil
	}
	if !unchanged { // only then can a Secret have dropped out
		if err := p.keeper.Release(ctx, p.resource); err != nil {
			p.resource.Status.SecretsDataChecksum = nil // so that the next pass retries
			return reconcile.Result{}, err
		}
	}
	p.report.Applied(gardencorev1beta1.ConditionTrue, resourcesv1alpha1.ConditionApplySucceeded, "All resources are applied.")
	if p.report.Judge(live) {
		if p.changes.reported() && !p.settings.AlwaysUpdate {
			p.verifier.Remember(p.resource, data.Secrets, gaps)
		}
		return reconcile.Result{RequeueAfter: p.settings.SyncPeriod}, nil
	}
	return reconcile.Result{RequeueAfter: p.pace()}, nil
}

// announce lists objects in the status before they are written. No object is forgotten, whatever happens afterwards. It
// removes the checksum, since from now on the target is between the old and the new content.
func (p *pass) announce(ctx context.Context, objects []*unstructured.Unstructured) error {
	if p.resource.Status.ObservedGeneration == 0 { // users may look before the first pass ends
		p.report.Applied(gardencorev1beta1.ConditionProgressing, resourcesv1alpha1.ConditionApplyProgressing, "The resources are being applied.")
	}
	p.report.Record(objects, p.resource.Status.Resources)
	p.resource.Status.SecretsDataChecksum = nil
	return p.saveStatus(ctx)
}
