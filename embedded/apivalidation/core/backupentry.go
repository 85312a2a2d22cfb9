package core

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateBackupEntry validates a new BackupEntry. Its name joins a technical ID and a UID by two hyphens.
func ValidateBackupEntry(entry *core.BackupEntry) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMeta(&entry.ObjectMeta, true, apivalidation.NameIsDNSSubdomain)
	errs = append(errs, required(entry.Spec.BucketName, path.Child("bucketName"), "must name a BackupBucket")...)
	if entry.Spec.SeedName == nil && entry.Spec.ShootRef == nil {
		errs = append(errs, field.Required(path.Child("seedName"), "must name a Seed"))
	}
	return errs
}

// ValidateBackupEntryUpdate validates a change. The bucket changes only between the seeds of a migration, when no seed uses it.
func ValidateBackupEntryUpdate(entry, old *core.BackupEntry) field.ErrorList {
	errs := validateObjectMetaUpdate(&entry.ObjectMeta, &old.ObjectMeta)
	if !corehelper.IsReleased(old.Status.LastOperation) {
		errs = append(errs, rules.Immutable(entry.Spec.BucketName, old.Spec.BucketName, field.NewPath("spec", "bucketName"))...)
	}
	return append(errs, ValidateBackupEntry(entry)...)
}

// ValidateBackupEntryStatusUpdate validates a change of the status.
func ValidateBackupEntryStatusUpdate(entry, old *core.BackupEntry) field.ErrorList {
	return append(validateObjectMetaUpdate(&entry.ObjectMeta, &old.ObjectMeta),
		validateLastOperation(entry.Status.LastOperation, field.NewPath("status", "lastOperation"))...)
}
