package own

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// backupSecret is the Secret as the landscape makes it. A Secret of the seed alone may get a key that encrypts its snapshots.
func backupSecret(seed string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: gardenNamespace, Name: backupSecretName(seed), Annotations: map[string]string{constants.AnnotationSeedNames: seed},
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"provider": []byte("local")},
	}
}

// ensureBackupSecret makes the Secret unless it exists: an operator may have written the key before the seed was added.
func ensureBackupSecret(ctx context.Context, garden client.Client, seed string) error {
	if err := garden.Create(ctx, backupSecret(seed)); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Secret for backups of seed %q: %w", seed, err)
	}
	return nil
}

// removeBackupSecret deletes the Secret of a seed that is gone. A Secret in which somebody has put anything stays: the key may be the only copy. So does that of a
// bucket that outlives its Seed: other seeds copy backups from it.
func removeBackupSecret(ctx context.Context, garden client.Client, seed string) error {
	secret := &corev1.Secret{}
	err := garden.Get(ctx, types.NamespacedName{Namespace: gardenNamespace, Name: backupSecretName(seed)}, secret)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read Secret for backups of seed %q: %w", seed, err)
	}
	if !equality.Semantic.DeepEqual(secret.Data, backupSecret(seed).Data) {
		return nil
	}
	buckets := &gardencorev1beta1.BackupBucketList{}
	if err := garden.List(ctx, buckets); err != nil {
		return fmt.Errorf("list buckets of backups: %w", err)
	}
	for i := range buckets.Items {
		if helper.BucketOwnCredentials(&buckets.Items[i]) == client.ObjectKeyFromObject(secret) {
			return nil
		}
	}
	if err := garden.Delete(ctx, secret, client.Preconditions{ResourceVersion: &secret.ResourceVersion}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Secret for backups of seed %q: %w", seed, err)
	}
	return nil
}
