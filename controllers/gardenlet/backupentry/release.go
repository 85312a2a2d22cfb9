package backupentry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Holder is the seed whose gardenlet handles an entry: the one that has it, until it has released it for another seed.
func Holder(entry *gardencorev1beta1.BackupEntry) string {
	wanted, held := ptr.Deref(entry.Spec.SeedName, ""), ptr.Deref(entry.Status.SeedName, "")
	if held != "" && held != wanted && !Released(entry) {
		return held
	}
	return wanted
}

// Released reports whether the seed that had an entry has released it, or the next one has not waited for that, and no other seed has taken
// it yet.
func Released(entry *gardencorev1beta1.BackupEntry) bool {
	return helper.IsReleased(entry.Status.LastOperation)
}

// isSource reports whether an entry gives one seed access to the backups in the bucket of another one. The backups are not its own.
func isSource(entry *gardencorev1beta1.BackupEntry) bool {
	return strings.HasPrefix(entry.Name, constants.BackupSourcePrefix)
}

// release removes the entry from the seed. Its backups stay in the bucket.
func (r *Reconciler) release(ctx context.Context, entry *gardencorev1beta1.BackupEntry) error {
	before := entry.DeepCopy()
	inSeed := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: entry.Name}}
	gone, err := r.Mirror.Release(ctx, inSeed)
	if err == nil && gone {
		if err = r.Mirror.DeleteSecret(ctx, SecretName(entry.Name)); err != nil {
			err = fmt.Errorf("delete credentials of the entry: %w", err)
		}
	}
	status := &entry.Status
	status.LastError = nil
	if last := status.LastOperation; last == nil || last.Type != gardencorev1beta1.LastOperationTypeMigrate {
		now := metav1.NewTime(r.Clock.Now())
		status.MigrationStartTime = &now
		status.LastOperation = &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateProcessing,
			Description: "Waiting for the extension.", LastUpdateTime: now,
		}
	}
	switch {
	case err != nil:
		status.LastError = &gardencorev1beta1.LastError{Description: err.Error()}
	case gone:
		status.ObservedGeneration = entry.Generation
		status.LastOperation = &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateSucceeded, Progress: 100,
			Description: "The entry has been released for another seed.", LastUpdateTime: metav1.NewTime(r.Clock.Now()),
		}
	case inSeed.Status.LastError != nil:
		status.LastError = inSeed.Status.LastError
	}
	return errors.Join(err, patch.Status(ctx, r.Garden, entry, before))
}
