package credentials

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Restore writes the credentials that another seed has saved in the garden. Initialize then finds them, so that authorities and keys of
// the shoot stay the same. Secrets that exist already are not touched.
func (c Credentials) Restore(saved *gardencorev1beta1.ShootState) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, piece := range saved.Spec.Gardener {
			if piece.Type != project.TypeSecret {
				continue
			}
			secret := &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: piece.Name, Namespace: c.Space.Name, Labels: piece.Labels}, Type: corev1.SecretTypeOpaque, Immutable: ptr.To(true),
			}
			if err := json.Unmarshal(piece.Data.Raw, &secret.Data); err != nil {
				return fmt.Errorf("decode secret %q of the shoot state: %w", piece.Name, err)
			}
			if err := c.Space.Client.Create(ctx, secret); err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("restore secret %q: %w", piece.Name, err)
			}
		}
		return nil
	}
}
