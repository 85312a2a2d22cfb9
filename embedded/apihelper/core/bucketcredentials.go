package core

import (
	"k8s.io/apimachinery/pkg/types"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// BucketCredentials is the Secret of the garden with the credentials of a bucket: those that the extension generated, or else those that the
// bucket was made with.
func BucketCredentials(bucket *gardencorev1beta1.BackupBucket) types.NamespacedName {
	if ref := bucket.Status.GeneratedSecretRef; ref != nil {
		return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
	}
	return BucketOwnCredentials(bucket)
}

// BucketOwnCredentials is the Secret that the bucket was made with. Operators write it.
func BucketOwnCredentials(bucket *gardencorev1beta1.BackupBucket) types.NamespacedName {
	if ref := bucket.Spec.CredentialsRef; ref != nil {
		return types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
	}
	return types.NamespacedName{Namespace: bucket.Spec.SecretRef.Namespace, Name: bucket.Spec.SecretRef.Name}
}
