package etcd

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delete deletes the BackupEntry without waiting: the gardenlet may have to keep the backups for a grace period.
func (b Backup) Delete(ctx context.Context) error {
	object, err := b.find(ctx)
	if err != nil || object == nil {
		return err
	}
	if err := b.Project.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete backup entry %q: %w", object.Name, err)
	}
	return nil
}
