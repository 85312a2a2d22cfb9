package seed

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/extensionstate"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Extensions writes extension objects.
type Extensions struct {
	extension.Objects
	// Restored is what another seed has saved of a shoot that moves here; nil if the shoot does not move.
	Restored *gardencorev1beta1.ShootState
}

// Requests are the requests of this run by the name of their object. Waiting uses them to distinguish responses from
// older ones. All objects of one Requests have the same kind.
type Requests map[string]string

// Request writes the object and returns the request.
func (e Extensions) Request(ctx context.Context, object extensionsv1alpha1.Object) (Requests, error) {
	requests := Requests{}
	return requests, e.Add(ctx, requests, object)
}

// Add writes the object and adds the request to the existing ones.
func (e Extensions) Add(ctx context.Context, requests Requests, object extensionsv1alpha1.Object) error {
	stamp, err := e.request(ctx, object)
	if err != nil {
		return err
	}
	requests[object.GetName()] = stamp
	return nil
}

// request asks for a reconciliation, or for a restoration from what another seed has saved.
func (e Extensions) request(ctx context.Context, object extensionsv1alpha1.Object) (string, error) {
	if e.Restored == nil {
		return e.Deploy(ctx, object, constants.GardenerOperationReconcile)
	}
	saved := extensionstate.Find(e.Restored.Spec.Extensions, contract.Kind(object), object.GetName(), object.GetExtensionSpec().GetExtensionPurpose())
	return e.Restore(ctx, object, saved)
}

// Await waits for the response to the request of this run.
func (e Extensions) Await(ctx context.Context, object extensionsv1alpha1.Object, requests Requests) error {
	return e.Wait(ctx, object, requests[object.GetName()])
}
