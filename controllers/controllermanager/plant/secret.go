package plant

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

// protect sets a finalizer on the Secret of a Plant. A Secret that is already being deleted can no longer be protected.
func (r *Reconciler) protect(ctx context.Context, secret *corev1.Secret) error {
	if secret.DeletionTimestamp != nil {
		return nil
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, secret, func() {
		controllerutil.AddFinalizer(secret, constants.ExternalGardenerName)
	}))
}

// releaseSecrets removes the finalizer from those Secrets of a namespace that no Plant and no binding refers to any
// more. current is the Plant as it was read last. A Plant that is being deleted needs no Secret.
func (r *Reconciler) releaseSecrets(ctx context.Context, namespace string, current *gardencorev1beta1.Plant) error {
	if namespace == constants.GardenNamespace {
		return nil // Seeds and BackupBuckets also protect Secrets in that namespace
	}
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := r.Client.List(ctx, secrets, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("list secrets: %w", err)
	}
	var needed sets.Set[string] // looked up only if a Secret is protected at all
	var errs []error
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		if !controllerutil.ContainsFinalizer(secret, constants.ExternalGardenerName) {
			continue
		}
		if needed == nil {
			var err error
			if needed, err = r.needed(ctx, namespace, current); err != nil {
				return err
			}
		}
		if !needed.Has(secret.Name) {
			errs = append(errs, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, secret, func() {
				controllerutil.RemoveFinalizer(secret, constants.ExternalGardenerName)
			})))
		}
	}
	return errors.Join(errs...)
}

func (r *Reconciler) needed(ctx context.Context, namespace string, current *gardencorev1beta1.Plant) (sets.Set[string], error) {
	names := sets.New[string]()
	plants := &gardencorev1beta1.PlantList{}
	ofSecrets, ofCredentials := &gardencorev1beta1.SecretBindingList{}, &securityv1alpha1.CredentialsBindingList{}
	err := errors.Join(r.Client.List(ctx, plants, client.InNamespace(namespace)), r.Client.List(ctx, ofSecrets), r.Client.List(ctx, ofCredentials))
	if err != nil {
		return nil, fmt.Errorf("list users of secrets: %w", err)
	}
	for _, plant := range plants.Items {
		if plant.UID != current.UID && plant.DeletionTimestamp == nil {
			names.Insert(plant.Spec.SecretRef.Name)
		}
	}
	if current.DeletionTimestamp == nil {
		names.Insert(current.Spec.SecretRef.Name)
	}
	for _, binding := range ofSecrets.Items {
		if ref := binding.SecretRef; ref.Namespace == namespace || ref.Namespace == "" && binding.Namespace == namespace {
			names.Insert(ref.Name)
		}
	}
	for _, binding := range ofCredentials.Items {
		if ref := binding.CredentialsRef; ref.Namespace == namespace || ref.Namespace == "" && binding.Namespace == namespace {
			names.Insert(ref.Name)
		}
	}
	return names, nil
}
