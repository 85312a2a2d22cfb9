package controllerinstallation

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/managedresource"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// mark is an object of an installation in the seed, with the label that tells it from objects of others.
type mark struct {
	object       client.Object
	label, value string
}

// marks are what install made, in the opposite order.
func marks(installation *gardencorev1beta1.ControllerInstallation) []mark {
	return []mark{
		{
			&resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: installation.Name}},
			constants.LabelControllerInstallationName, installation.Name,
		},
		{
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: managedresource.SecretPrefix + installation.Name}},
			constants.LabelControllerInstallationName, installation.Name,
		},
		{
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespacePrefix + installation.Name}},
			constants.LabelControllerRegistrationName, installation.Spec.RegistrationRef.Name,
		},
	}
}

// read gets the object from the seed, and reports whether it is there and has the label.
func (r *Reconciler) read(ctx context.Context, m mark) (bool, error) {
	err := r.Seed.Get(ctx, client.ObjectKeyFromObject(m.object), m.object)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %T %q of the seed: %w", m.object, m.object.GetName(), err)
	}
	return m.object.GetLabels()[m.label] == m.value, nil
}

// hasChart reports whether anything that install made is left. Others may deploy an installation that is no chart, with the same
// names and labels, so it counts who wrote the object.
func (r *Reconciler) hasChart(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (bool, error) {
	for _, m := range marks(installation) {
		there, err := r.read(ctx, m)
		if err != nil {
			return false, err
		}
		written := slices.ContainsFunc(m.object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
			return entry.Manager == string(fieldOwner) && entry.Operation == metav1.ManagedFieldsOperationApply
		})
		if there && written {
			return true, nil
		}
	}
	return false, nil
}

// uninstall removes what install made, in the opposite order, and says what it waits for. It returns an empty text when
// nothing is left.
func (r *Reconciler) uninstall(ctx context.Context, installation *gardencorev1beta1.ControllerInstallation) (string, error) {
	for _, m := range marks(installation) {
		left, err := r.remove(ctx, m)
		if left || err != nil {
			return fmt.Sprintf("%T %s", m.object, client.ObjectKeyFromObject(m.object)), err
		}
	}
	return "", nil
}

// remove deletes an object, and reports whether it still exists. Others' objects stay.
func (r *Reconciler) remove(ctx context.Context, m mark) (bool, error) {
	there, err := r.read(ctx, m)
	if !there || err != nil {
		return false, err
	}
	if m.object.GetDeletionTimestamp() != nil {
		return true, nil
	}
	if err := r.Seed.Delete(ctx, m.object); client.IgnoreNotFound(err) != nil {
		return true, fmt.Errorf("delete %T %q of the seed: %w", m.object, m.object.GetName(), err)
	}
	return true, nil
}
