package core

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
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

// EncryptionKeyOfOneSeed returns an error if a Secret has the key that encrypts snapshots, and operators have given it to several seeds, or to another one than the
// seed, if that is known: each of their gardenlets may read the key, and with it the snapshots of the others.
func EncryptionKeyOfOneSeed(secret *corev1.Secret, seed string) error {
	if _, has := secret.Data[constants.DataKeyBackupEncryption]; !has {
		return nil
	}
	names := strings.FieldsFunc(secret.Annotations[constants.AnnotationSeedNames], func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(names)
	how := ""
	switch names = slices.Compact(names); {
	case secret.Labels[constants.LabelSeedShared] == "true":
		how = fmt.Sprintf("to all seeds by the label %s", constants.LabelSeedShared)
	case len(names) > 1, len(names) == 1 && seed != "" && names[0] != seed:
		how = fmt.Sprintf("to %s by the annotation %s", strings.Join(names, " and "), constants.AnnotationSeedNames)
	default:
		return nil
	}
	return fmt.Errorf("secret %q has %s, which encrypts snapshots, and is given %s: make a Secret for each seed, with the annotation %s: NAME, and let the Seed refer to it",
		secret.Namespace+"/"+secret.Name, constants.DataKeyBackupEncryption, how, constants.AnnotationSeedNames)
}
