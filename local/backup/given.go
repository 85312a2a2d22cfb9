package backup

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// given is what the provider uses of the credentials of a bucket or an entry.
type given struct {
	// dir is the directory of the buckets of the seed that the credentials were made for. It is empty in those that an operator wrote.
	dir string
	// keys encrypt snapshots; nil if they are not to be encrypted.
	keys []byte
}

// given reads the credentials. Keys that cannot encrypt are refused here, because the operator sees the status of the bucket.
func (s *Store) given(ctx context.Context, ref corev1.SecretReference) (given, error) {
	secret := &corev1.Secret{}
	if err := s.Client.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return given{}, fmt.Errorf("read credentials of the bucket: %w", err)
	}
	keys, asked := secret.Data[encryption.Key]
	if asked {
		if _, err := encryption.Parse(keys); err != nil {
			return given{}, contract.Permanent(err, "ERR_CONFIGURATION_PROBLEM")
		}
	}
	return given{dir: string(secret.Data[KeyHostPath]), keys: keys}, nil
}

// with is the data of a Secret for the etcds that use a bucket.
func (g given) with(dir, bucket string) map[string][]byte {
	out := map[string][]byte{KeyHostPath: []byte(dir), KeyBucketName: []byte(bucket)}
	if g.keys != nil {
		out[encryption.Key] = g.keys
	}
	return out
}
