package etcd

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/backupentry"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// HandOver gives the BackupEntry to the seed that the shoot moves to. The backups stay in the bucket of this seed.
func (b Backup) HandOver(ctx context.Context) error {
	object := b.entry()
	change := fmt.Appendf(nil, `{"spec":{"seedName":%q}}`, ptr.Deref(b.Shoot.Spec.SeedName, ""))
	if err := b.Project.Client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", change)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("give backup entry %q to seed %q: %w", object.Name, ptr.Deref(b.Shoot.Spec.SeedName, ""), err)
	}
	return nil
}

// TakeOver takes the BackupEntry from a seed that has not released it and does not have the shoot any longer. Only then may its bucket change.
// An entry that the other seed has released, or that this seed has, stays as it is.
func (b Backup) TakeOver(ctx context.Context) error {
	object := b.entry()
	if err := b.GardenReader.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
		return fmt.Errorf("read backup entry %q: %w", object.Name, err)
	}
	if ptr.Deref(object.Status.SeedName, "") == b.Seed.Name || backupentry.Released(object) {
		return nil
	}
	if err := b.HandOver(ctx); err != nil { // first, so that the other seed does not take it again
		return err
	}
	before := object.DeepCopy()
	object.Status.SeedName, object.Status.LastError = nil, nil
	object.Status.LastOperation = &gardencorev1beta1.LastOperation{
		Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateAborted,
		Description: "Another seed takes the entry without the help of the former one.", LastUpdateTime: metav1.NewTime(b.Clock.Now()),
	}
	return patch.Status(ctx, b.Project.Client, object, before)
}

// AwaitHandedOver waits until this seed has released the entry.
func (b Backup) AwaitHandedOver(ctx context.Context) error {
	object := b.entry()
	return await.Poll(ctx, func() error {
		if err := b.GardenReader.Get(ctx, client.ObjectKeyFromObject(object), object); apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read backup entry %q: %w", object.Name, err)
		}
		switch status := object.Status; {
		case ptr.Deref(status.SeedName, "") != b.Seed.Name:
			return nil
		case status.LastError != nil:
			return fmt.Errorf("backup entry %q: %s", object.Name, status.LastError.Description)
		case status.LastOperation == nil || status.LastOperation.Type != gardencorev1beta1.LastOperationTypeMigrate:
			return fmt.Errorf("the migration of backup entry %q has not begun yet", object.Name)
		case status.LastOperation.State != gardencorev1beta1.LastOperationStateSucceeded:
			return fmt.Errorf("the migration of backup entry %q is %s", object.Name, status.LastOperation.State)
		}
		return nil
	})
}
