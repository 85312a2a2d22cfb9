// Package extension writes the objects that extensions reconcile for a shoot, and waits for them. It handles what all
// kinds have in common; the flow decides on the spec of each kind.
package extension

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Patience is how long an extension may report an error before the wait fails, since extensions retry by themselves.
const Patience = 15 * time.Second

// Objects writes extension objects to the seed.
type Objects struct {
	Client  client.WithWatch
	Applier patch.Applier
	Clock   clock.PassiveClock
}

// Deploy writes the object and requests an operation from its extension, reconcile or restore. It returns the timestamp
// of the request, which it writes to the object. Wait uses it to distinguish the response to this request from earlier
// ones.
func (o Objects) Deploy(ctx context.Context, object extensionsv1alpha1.Object, operation string) (stamp string, err error) {
	stamp = o.Clock.Now().UTC().Format(time.RFC3339Nano)
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[constants.GardenerOperation] = operation
	annotations[constants.GardenerTimestamp] = stamp
	object.SetAnnotations(annotations)
	if _, err := o.Applier.Apply(ctx, object.(client.Object)); err != nil {
		return "", err
	}
	return stamp, nil
}

// Wait returns when the extension has finished the request with the timestamp; the object then contains the status. An
// error of the extension fails the wait after Patience, or at once if its code says that no retry helps.
func (o Objects) Wait(ctx context.Context, object extensionsv1alpha1.Object, stamp string) error {
	return o.WaitFor(ctx, object, stamp, func() error { return Finished(object, stamp) })
}

// WaitFor is Wait for a result that exists before the extension has finished; done returns what is missing.
func (o Objects) WaitFor(ctx context.Context, object extensionsv1alpha1.Object, stamp string, done func() error) error {
	failing := time.Time{}
	err := await.Until(ctx, o.Client, object.(client.Object), func() error {
		err := done()
		lastError := object.GetExtensionStatus().GetLastError()
		if err == nil || lastError == nil || !answered(object, lastError, stamp) {
			failing = time.Time{}
			return err
		}
		if failing.IsZero() {
			failing = o.Clock.Now()
		}
		if NotRetryable(lastError.Codes) || o.Clock.Since(failing) >= Patience {
			return await.Stop(Finished(object, stamp)) // returns the error
		}
		return err
	})
	return withCodes(err, object)
}

// answered reports whether the error belongs to this request rather than to an earlier one.
func answered(object extensionsv1alpha1.Object, lastError *gardencorev1beta1.LastError, stamp string) bool {
	if object.GetExtensionStatus().GetObservedGeneration() != object.GetGeneration() || object.GetAnnotations()[constants.GardenerOperation] != "" {
		return false
	}
	return lastError.LastUpdateTime == nil || !before(lastError.LastUpdateTime.Time, stamp)
}

// before compares with the precision of seconds, which is that of times in a status.
func before(t time.Time, stamp string) bool {
	requested, err := time.Parse(time.RFC3339Nano, stamp)
	return err == nil && t.Before(requested.Truncate(time.Second))
}

// Finished reports whether an extension is done with an object: it has observed the spec, accepted the operation, and
// succeeded after the request. The error says what is missing.
func Finished(object extensionsv1alpha1.Object, stamp string) error {
	status := object.GetExtensionStatus()
	if lastError := status.GetLastError(); lastError != nil {
		return fmt.Errorf("extension encountered error during reconciliation: %s", lastError.Description)
	}
	if observed, want := status.GetObservedGeneration(), object.GetGeneration(); observed != want {
		return fmt.Errorf("observed generation is %d, not yet %d", observed, want)
	}
	if operation := object.GetAnnotations()[constants.GardenerOperation]; operation != "" {
		return fmt.Errorf("operation %q has not been picked up yet", operation)
	}
	last := status.GetLastOperation()
	if last == nil {
		return errors.New("last operation has not been set yet")
	}
	if last.State != gardencorev1beta1.LastOperationStateSucceeded {
		return fmt.Errorf("last operation is %s, not yet %s", last.State, gardencorev1beta1.LastOperationStateSucceeded)
	}
	if before(last.LastUpdateTime.Time, stamp) {
		return fmt.Errorf("last operation was at %s, before the request of %s", last.LastUpdateTime.UTC().Format(time.RFC3339), stamp)
	}
	return nil
}

// Delete confirms and starts the deletion of an object. An object that is gone is no error.
func (o Objects) Delete(ctx context.Context, object client.Object) error {
	confirm := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true",%q:%q}}}`,
		constants.ConfirmationDeletion, constants.GardenerTimestamp, o.Clock.Now().UTC().Format(time.RFC3339Nano))
	err := o.Client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", confirm))
	if err == nil {
		err = o.Client.Delete(ctx, object)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %q: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}

// WaitGone returns when the object does not exist any more. An error from before the deletion does not fail the wait.
func (o Objects) WaitGone(ctx context.Context, object extensionsv1alpha1.Object) error {
	failing := time.Time{}
	err := await.Gone(ctx, o.Client, object.(client.Object), func() error {
		lastError := object.GetExtensionStatus().GetLastError()
		last := object.GetExtensionStatus().GetLastOperation()
		if lastError == nil || last != nil && last.Type != gardencorev1beta1.LastOperationTypeDelete {
			failing = time.Time{}
			return nil
		}
		if failing.IsZero() {
			failing = o.Clock.Now()
		}
		err := fmt.Errorf("extension encountered error during deletion: %s", lastError.Description)
		if NotRetryable(lastError.Codes) || o.Clock.Since(failing) >= Patience {
			return await.Stop(err)
		}
		return err
	})
	return withCodes(err, object)
}

// DeleteAll confirms and starts the deletion of all objects of a kind in a namespace, except those to keep.
func (o Objects) DeleteAll(ctx context.Context, kind, namespace string, keep func(client.Object) bool) error {
	list, err := o.list(ctx, kind, namespace)
	if err != nil {
		return err
	}
	for i := range list.Items {
		if item := &list.Items[i]; keep == nil || !keep(item) {
			if err := o.Delete(ctx, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// WaitAllGone returns when a namespace has no object of a kind, except those to keep.
func (o Objects) WaitAllGone(ctx context.Context, kind, namespace string, keep func(client.Object) bool) error {
	list, err := o.list(ctx, kind, namespace)
	if err != nil {
		return err
	}
	for i := range list.Items {
		item := &list.Items[i]
		if keep != nil && keep(item) {
			continue
		}
		typed, err := o.Client.Scheme().New(extensionsv1alpha1.SchemeGroupVersion.WithKind(kind))
		if err != nil {
			return fmt.Errorf("find kind %s: %w", kind, err)
		}
		object := typed.(extensionsv1alpha1.Object)
		object.SetNamespace(item.GetNamespace())
		object.SetName(item.GetName())
		if err := o.WaitGone(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (o Objects) list(ctx context.Context, kind, namespace string) (*unstructured.UnstructuredList, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(extensionsv1alpha1.SchemeGroupVersion.WithKind(kind + "List"))
	if err := o.Client.List(ctx, list, client.InNamespace(namespace)); err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("list objects of kind %s in %q: %w", kind, namespace, err)
	}
	return list, nil
}

// withCodes adds kind, name and the error codes of the extension.
func withCodes(err error, object extensionsv1alpha1.Object) error {
	if err == nil {
		return nil
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", object), "*v1alpha1.")
	err = fmt.Errorf("%s %q: %w", kind, client.ObjectKeyFromObject(object.(client.Object)), err)
	if lastError := object.GetExtensionStatus().GetLastError(); lastError != nil {
		return contract.WithCodes(err, lastError.Codes...)
	}
	return err
}
