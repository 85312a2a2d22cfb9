package backupentry

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// credentials returns those that the extension generated for the bucket, or else those of the bucket itself. An extension that generates some need not know the
// key that encrypts snapshots, so the one of the bucket itself counts always.
func (r *Reconciler) credentials(ctx context.Context, bucket *gardencorev1beta1.BackupBucket) (map[string][]byte, error) {
	key, own := helper.BucketCredentials(bucket), helper.BucketOwnCredentials(bucket)
	data, err := r.read(ctx, key)
	if err != nil || key == own {
		return data, err
	}
	given, err := r.read(ctx, own)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	if encryption, has := given[constants.DataKeyBackupEncryption]; has {
		data = maps.Clone(data)
		if data == nil {
			data = map[string][]byte{}
		}
		data[constants.DataKeyBackupEncryption] = encryption
	}
	return data, nil
}

func (r *Reconciler) read(ctx context.Context, key types.NamespacedName) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	if err := r.Reader.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read credentials %q of the bucket: %w", key, err)
	}
	return secret.Data, nil
}
