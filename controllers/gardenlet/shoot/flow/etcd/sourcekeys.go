package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// sourceKeys is the Secret with the keys of copied snapshots. Its pod restores them with these keys. It is there for as long as the etcd has no full snapshot that its
// own keys decrypt: a shoot may sleep for months before its etcd restores them, and the seed that it comes from may be gone by then. So it does not depend on
// the BackupEntry of the source, which would keep the bucket of that seed from being deleted. It goes with the namespace at the latest.
func sourceKeys(space seed.Space) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: space.Name, Name: constants.BackupSecretName + constants.BackupSourceKeysSuffix}}
}

// KeepKeys keeps the keys of the source, if its snapshots are encrypted. It does nothing once the access has ended: they are kept since then.
func (s Source) KeepKeys(ctx context.Context) error {
	entry, err := s.read(ctx)
	if err != nil || entry == nil || entry.DeletionTimestamp != nil {
		return err
	}
	given := &corev1.Secret{}
	key := client.ObjectKey{Namespace: s.Space.Name, Name: constants.BackupSourcePrefix + constants.BackupSecretName}
	if err := s.Space.Client.Get(ctx, key, given); err != nil {
		return client.IgnoreNotFound(err) // a provider that needs no credentials has no keys either
	}
	keys := given.Data[constants.DataKeyBackupEncryption]
	if len(keys) == 0 {
		return nil
	}
	kept := sourceKeys(s.Space)
	kept.Type, kept.Data = corev1.SecretTypeOpaque, map[string][]byte{constants.DataKeyBackupEncryption: keys}
	_, err = s.Space.Apply(ctx, kept)
	return err
}

// patience is how long a reconciliation waits for the full snapshot that an etcd takes when it begins. A later one looks again.
const patience = time.Minute

// DropSourceKeys deletes the keys of the source when the etcd can be restored without them. It is no error if that is not so yet.
func (e Etcd) DropSourceKeys(ctx context.Context) error { return e.dropSourceKeys(ctx, patience) }

func (e Etcd) dropSourceKeys(ctx context.Context, patience time.Duration) error {
	kept := sourceKeys(e.Space)
	if err := e.Space.Client.Get(ctx, client.ObjectKeyFromObject(kept), kept); apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return fmt.Errorf("read secret %q: %w", kept.Name, err)
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := await.Poll(limited, func() error { return e.doesWithoutSource(limited) }); err != nil {
		log.FromContext(ctx).Info("The keys of the seed that the shoot comes from are kept", "reason", err.Error())
		return ctx.Err()
	}
	return e.Space.Delete(ctx, kept)
}

// doesWithoutSource returns an error unless the newest full snapshot can be decrypted by the keys of this seed alone.
func (e Etcd) doesWithoutSource(ctx context.Context) error {
	server, err := e.backupServer(ctx)
	if err != nil {
		return err
	}
	defer server.Close()
	latest, err := server.Latest(ctx)
	if err == nil && (latest.FullSnapshot == nil || !latest.OwnKeys) {
		err = errors.New("etcd main has no full snapshot with a key of this seed yet")
	}
	return err
}
