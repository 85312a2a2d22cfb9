package etcd

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
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
