package backupentry

import (
	"context"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/seedlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.BackupEntry] {
	return resource.Strategy[*core.BackupEntry]{
		Namespaced:    true,
		Spec:          resource.Field(func(o *core.BackupEntry) *core.BackupEntrySpec { return &o.Spec }),
		Status:        resource.Field(func(o *core.BackupEntry) *core.BackupEntryStatus { return &o.Status }),
		PrepareCreate: func(_ context.Context, b *core.BackupEntry) { setLabels(b) },
		PrepareUpdate: prepareUpdate,
		PrepareStatus: func(_ context.Context, b, _ *core.BackupEntry) bool {
			setLabels(b)
			return false
		},
		Validate:       validation.ValidateBackupEntry,
		ValidateUpdate: validation.ValidateBackupEntryUpdate,
		ValidateStatus: validation.ValidateBackupEntryStatusUpdate,
	}
}

// prepareUpdate raises the generation for the operation annotation. The operation "restore" stays until it is done.
func prepareUpdate(_ context.Context, b, old *core.BackupEntry) bool {
	setLabels(b)
	restore := operation.Of(b) == constants.GardenerOperationRestore && operation.Of(old) != constants.GardenerOperationRestore
	return operation.TakeReconcile(b) || restore || operation.Became(b, old, constants.BackupEntryForceDeletion)
}

// setLabels sets the label of the seed, and during a migration also that of the source seed.
func setLabels(b *core.BackupEntry) { seedlabels.Set(b, b.Spec.SeedName, b.Status.SeedName) }
