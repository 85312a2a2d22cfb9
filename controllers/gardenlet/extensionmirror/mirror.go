// Package extensionmirror mirrors objects of the garden as extension objects in the seed, and copies their status back.
// It is for controllers that handle one extension object per object of the garden and are woken by events instead of
// waiting.
package extensionmirror

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// annotationGeneration of the extension object is the generation of the garden's object for which it was written last.
const annotationGeneration = "gardenlet.gardener.cloud/garden-generation"

// Mirror writes to one seed. All fields are required.
type Mirror struct {
	Seed  client.Client // uncached
	Clock clock.PassiveClock
}

// Request writes the desired object to the seed. It requests a reconciliation by the extension if the object is new,
// the garden's object has a new generation, or the checksum of its credentials has changed. It returns the current
// object in the seed.
func (m Mirror) Request(ctx context.Context, desired extensionsv1alpha1.Object, generation int64, credentials string) (extensionsv1alpha1.Object, error) {
	current := desired.DeepCopyObject().(extensionsv1alpha1.Object)
	err := m.Seed.Get(ctx, key(desired), current.(client.Object))
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read %T %q: %w", desired, key(desired), err)
	}
	wanted := map[string]string{
		annotationGeneration:                  strconv.FormatInt(generation, 10),
		constants.AnnotationSecretRefChecksum: credentials,
	}
	if err == nil && hasAll(current.GetAnnotations(), wanted) {
		return current, nil
	}
	for name, value := range wanted {
		annotations := desired.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[name] = value
		desired.SetAnnotations(annotations)
	}
	objects := extension.Objects{Applier: patch.Applier{Client: m.Seed, Owner: "gardenlet"}, Clock: m.Clock}
	if _, err := objects.Deploy(ctx, desired, constants.GardenerOperationReconcile); err != nil {
		return nil, err
	}
	if err := m.Seed.Get(ctx, key(desired), current.(client.Object)); err != nil {
		return nil, fmt.Errorf("read %T %q: %w", desired, key(desired), err)
	}
	return current, nil
}

// Delete deletes the object and reports whether it is gone. If the object is still being deleted, it is returned in
// object.
func (m Mirror) Delete(ctx context.Context, object extensionsv1alpha1.Object) (gone bool, err error) {
	o := object.(client.Object)
	if err := m.Seed.Get(ctx, key(object), o); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if object.GetDeletionTimestamp() != nil {
		return false, nil
	}
	confirm := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, constants.ConfirmationDeletion)
	if err := m.Seed.Patch(ctx, o, client.RawPatch("application/merge-patch+json", confirm)); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if err := m.Seed.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("delete %T %q: %w", object, key(object), err)
	}
	err = m.Seed.Get(ctx, key(object), o)
	return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
}

// Release asks the extension to release an object for another seed, and deletes the object then. What the object stands for stays. It
// reports whether the object is gone.
func (m Mirror) Release(ctx context.Context, object extensionsv1alpha1.Object) (gone bool, err error) {
	if err := m.Seed.Get(ctx, key(object), object.(client.Object)); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if extension.Migrated(object) == nil {
		return m.Delete(ctx, object)
	}
	objects := extension.Objects{Applier: patch.Applier{Client: m.Seed, Owner: "gardenlet"}, Clock: m.Clock}
	return false, objects.Migrate(ctx, object)
}

// Report translates the status of an extension object for an object of the garden. It returns the last operation with
// the given type, and the last error, nil if there is none.
func (m Mirror) Report(object extensionsv1alpha1.Object, kind gardencorev1beta1.LastOperationType, old *gardencorev1beta1.LastOperation) (*gardencorev1beta1.LastOperation, *gardencorev1beta1.LastError) {
	next := gardencorev1beta1.LastOperation{Type: kind, State: gardencorev1beta1.LastOperationStateProcessing, Progress: 50}
	lastError := object.GetExtensionStatus().GetLastError()
	finished := extension.Finished(object, "")
	switch {
	case lastError != nil:
		next.State, next.Description = gardencorev1beta1.LastOperationStateError, lastError.Description
	case finished == nil && object.GetDeletionTimestamp() == nil:
		next.State, next.Progress, next.Description = gardencorev1beta1.LastOperationStateSucceeded, 100, "The extension has succeeded."
	default:
		next.Description = "Waiting for the extension."
	}
	if old != nil {
		next.LastUpdateTime = old.LastUpdateTime
		if next == *old {
			return old, lastError
		}
	}
	next.LastUpdateTime = metav1.NewTime(m.Clock.Now())
	return &next, lastError
}

// CopySecret writes a Secret with the data to the garden namespace of the seed.
func (m Mirror) CopySecret(ctx context.Context, name string, data map[string][]byte) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: name},
		Type:       corev1.SecretTypeOpaque, Data: data,
	}
	_, err := patch.Applier{Client: m.Seed, Owner: "gardenlet"}.Apply(ctx, secret)
	return err
}

// DeleteSecret deletes the Secret that CopySecret wrote.
func (m Mirror) DeleteSecret(ctx context.Context, name string) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: name}}
	return client.IgnoreNotFound(m.Seed.Delete(ctx, secret))
}

func key(object extensionsv1alpha1.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: object.GetNamespace(), Name: object.GetName()}
}

func hasAll(all, some map[string]string) bool {
	for name, value := range some {
		if all[name] != value {
			return false
		}
	}
	return true
}
