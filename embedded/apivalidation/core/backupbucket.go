package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateBackupBucket validates a new BackupBucket.
func ValidateBackupBucket(bucket *core.BackupBucket) field.ErrorList {
	path := field.NewPath("spec")
	spec := &bucket.Spec
	errs := validateObjectMeta(&bucket.ObjectMeta, false, validateName)
	errs = append(errs, required(spec.Provider.Type, path.Child("provider", "type"), "must name a provider")...)
	errs = append(errs, required(spec.Provider.Region, path.Child("provider", "region"), "must name a region")...)
	if spec.SeedName == nil && spec.ShootRef == nil {
		errs = append(errs, field.Required(path.Child("seedName"), "must name a Seed"))
	}
	if spec.CredentialsRef != nil {
		return append(errs, validateCredentialsReference(*spec.CredentialsRef, path.Child("credentialsRef"), false)...)
	}
	return append(errs, validateSecretReference(spec.SecretRef, path.Child("secretRef"))...)
}

// ValidateBackupBucketUpdate validates a change.
func ValidateBackupBucketUpdate(bucket, old *core.BackupBucket) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMetaUpdate(&bucket.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, rules.Immutable(bucket.Spec.Provider, old.Spec.Provider, path.Child("provider"))...)
	errs = append(errs, immutableOnceSet(bucket.Spec.SeedName, old.Spec.SeedName, path.Child("seedName"))...)
	return append(errs, ValidateBackupBucket(bucket)...)
}

// ValidateBackupBucketStatusUpdate validates a change of the status.
func ValidateBackupBucketStatusUpdate(bucket, old *core.BackupBucket) field.ErrorList {
	return append(validateObjectMetaUpdate(&bucket.ObjectMeta, &old.ObjectMeta),
		validateLastOperation(bucket.Status.LastOperation, field.NewPath("status", "lastOperation"))...)
}
