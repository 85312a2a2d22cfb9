package quota

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

// lifetimeDays returns the shortest lifetime that the Quotas of the credentials of a Shoot allow, nil if there is no
// limit. Bindings and Quotas that do not exist set no limit.
func (r *Reconciler) lifetimeDays(ctx context.Context, shoot *gardencorev1beta1.Shoot) (*int32, error) {
	refs, err := r.quotasOf(ctx, shoot)
	if err != nil {
		return nil, err
	}
	var days *int32
	for _, ref := range refs {
		quota := &gardencorev1beta1.Quota{}
		if err := r.Client.Get(ctx, client.ObjectKey{Namespace: orElse(ref.Namespace, shoot.Namespace), Name: ref.Name}, quota); err != nil {
			if client.IgnoreNotFound(err) == nil {
				continue
			}
			return nil, fmt.Errorf("read quota %q: %w", ref.Name, err)
		}
		if limit := quota.Spec.ClusterLifetimeDays; limit != nil && (days == nil || *limit < *days) {
			days = limit
		}
	}
	return days, nil
}

func (r *Reconciler) quotasOf(ctx context.Context, shoot *gardencorev1beta1.Shoot) ([]corev1.ObjectReference, error) {
	switch {
	case shoot.Spec.CredentialsBindingName != nil:
		binding := &securityv1alpha1.CredentialsBinding{}
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: shoot.Namespace, Name: *shoot.Spec.CredentialsBindingName}, binding)
		return binding.Quotas, client.IgnoreNotFound(err)
	case shoot.Spec.SecretBindingName != nil:
		binding := &gardencorev1beta1.SecretBinding{}
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: shoot.Namespace, Name: *shoot.Spec.SecretBindingName}, binding)
		return binding.Quotas, client.IgnoreNotFound(err)
	}
	return nil, nil
}

func orElse(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
