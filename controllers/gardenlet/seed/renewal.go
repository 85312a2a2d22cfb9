package seed

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// renewals does what the operation of the Seed asks for. The annotation goes when it is done.
func (r *Reconciler) renewals(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	var err error
	switch seed.Annotations[constants.GardenerOperation] {
	default:
		return nil
	case constants.GardenerOperationRenewKubeconfig:
		if r.Credentials == nil {
			r.Recorder.Eventf(seed, nil, corev1.EventTypeWarning, "RenewalImpossible", "Renew",
				"The gardenlet does not keep its kubeconfig in a Secret: its operator has to renew it")
			break
		}
		err = r.Credentials.Renew(ctx)
	case constants.SeedOperationRenewGardenAccessSecrets:
		err = r.renewGardenAccess(ctx)
	}
	if err != nil {
		return err
	}
	return patch.Metadata(ctx, r.Garden, seed, func() { delete(seed.Annotations, constants.GardenerOperation) })
}

// renewGardenAccess has all tokens of extensions for the garden requested again.
func (r *Reconciler) renewGardenAccess(ctx context.Context) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := r.SeedClient.List(ctx, list, client.MatchingLabels{
		resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
		resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassGarden,
	})
	if err != nil {
		return fmt.Errorf("list secrets with access to the garden: %w", err)
	}
	var errs []error
	for i := range list.Items {
		secret := &list.Items[i]
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		before := secret.DeepCopy()
		delete(secret.Annotations, resourcesv1alpha1.ServiceAccountTokenRenewTimestamp)
		if err := r.SeedClient.Patch(ctx, secret, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("renew secret %s/%s: %w", secret.Namespace, secret.Name, err))
		}
	}
	return errors.Join(errs...)
}
