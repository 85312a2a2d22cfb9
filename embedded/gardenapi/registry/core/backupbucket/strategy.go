package backupbucket

import (
	"context"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	validation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/operation"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/internal/seedlabels"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/resource"
)

func strategy() resource.Strategy[*core.BackupBucket] {
	return resource.Strategy[*core.BackupBucket]{
		Spec:          resource.Field(func(o *core.BackupBucket) *core.BackupBucketSpec { return &o.Spec }),
		Status:        resource.Field(func(o *core.BackupBucket) *core.BackupBucketStatus { return &o.Status }),
		PrepareCreate: func(_ context.Context, b *core.BackupBucket) { seedlabels.Set(b, b.Spec.SeedName) },
		PrepareUpdate: func(_ context.Context, b, _ *core.BackupBucket) bool {
			seedlabels.Set(b, b.Spec.SeedName)
			return operation.TakeReconcile(b)
		},
		Validate:       validation.ValidateBackupBucket,
		ValidateUpdate: validation.ValidateBackupBucketUpdate,
		ValidateStatus: validation.ValidateBackupBucketStatusUpdate,
	}
}
