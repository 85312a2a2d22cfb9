package lifecycle

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// bringBack has the ManagedSeed of the seed reconciled if the certificate of its gardenlet has expired. The gardenlet cannot
// renew it then, and needs a new bootstrap token. A ManagedSeed that is not observed yet is left alone: it was asked already.
func (r *Reconciler) bringBack(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	expires := seed.Status.ClientCertificateExpirationTimestamp
	if expires == nil || r.Clock.Now().Before(expires.Time) {
		return nil
	}
	managed := &seedmanagementv1alpha1.ManagedSeed{}
	if err := r.Reader.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: seed.Name}, managed); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return nil
		}
		return fmt.Errorf("read managed seed %q: %w", seed.Name, err)
	}
	if managed.DeletionTimestamp != nil || managed.Status.ObservedGeneration != managed.Generation {
		return nil
	}
	before := managed.DeepCopy()
	metav1.SetMetaDataAnnotation(&managed.ObjectMeta, constants.GardenerOperation, constants.GardenerOperationReconcile)
	if err := r.Client.Patch(ctx, managed, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("reconcile managed seed %q: %w", seed.Name, err)
	}
	log.FromContext(ctx).Info("Certificate of the gardenlet has expired, the managed seed is reconciled", "expired", expires.Time)
	return nil
}
