package extension

import (
	"context"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Restore writes the object and asks its extension to continue from the state that another seed has saved; nil means that there is
// none. It returns the timestamp of the request like Deploy. An object that was restored before is only reconciled, so that a
// repeated restoration does not put an old state over a newer one.
func (o Objects) Restore(ctx context.Context, object extensionsv1alpha1.Object, saved *gardencorev1beta1.ExtensionResourceState) (stamp string, err error) {
	current := object.DeepCopyObject().(extensionsv1alpha1.Object)
	err = o.Client.Get(ctx, client.ObjectKeyFromObject(object.(client.Object)), current.(client.Object))
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read %T %q: %w", object, client.ObjectKeyFromObject(object.(client.Object)), err)
	}
	if err == nil && restored(current) {
		return o.Deploy(ctx, object, constants.GardenerOperationReconcile)
	}
	if saved != nil {
		if _, err := o.Deploy(ctx, object, constants.GardenerOperationWaitForState); err != nil {
			return "", err
		}
		if err := o.writeState(ctx, object, saved); err != nil {
			return "", err
		}
	}
	return o.Deploy(ctx, object, constants.GardenerOperationRestore)
}

// restored reports whether the extension has finished the restoration of an object.
func restored(object extensionsv1alpha1.Object) bool {
	last := object.GetExtensionStatus().GetLastOperation()
	switch {
	case last == nil || object.GetAnnotations()[constants.GardenerOperation] == constants.GardenerOperationRestore:
		return false
	case last.Type == gardencorev1beta1.LastOperationTypeRestore:
		return last.State == gardencorev1beta1.LastOperationStateSucceeded
	}
	return last.Type == gardencorev1beta1.LastOperationTypeReconcile
}

func (o Objects) writeState(ctx context.Context, object extensionsv1alpha1.Object, saved *gardencorev1beta1.ExtensionResourceState) error {
	change, err := json.Marshal(map[string]any{"status": map[string]any{"state": saved.State, "resources": saved.Resources}})
	if err != nil {
		return fmt.Errorf("encode state: %w", err)
	}
	target := object.DeepCopyObject().(client.Object)
	if err := o.Client.Status().Patch(ctx, target, client.RawPatch("application/merge-patch+json", change)); err != nil {
		return fmt.Errorf("write saved state of %T %q: %w", object, client.ObjectKeyFromObject(target), err)
	}
	return nil
}
