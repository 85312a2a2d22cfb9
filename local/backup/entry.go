package backup

import (
	"context"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	// sourcePrefix marks the entry of the seed a Shoot moves away from.
	sourcePrefix = "source-"
	// etcdSecret is the Secret from which the etcd of a Shoot learns where its backups are. The extension writes it, as those of public Gardener do, and the
	// gardenlet does not: the status of a BackupEntry names no Secret to copy, and only the extension knows which keys its store takes.
	etcdSecret = "etcd-backup"
)

// Entries makes the actuator for BackupEntries.
func (s *Store) Entries() contract.BackupEntryActuator {
	return contract.Simple[*extensionsv1alpha1.BackupEntry]{Apply: s.applyEntry, Remove: s.removeEntry}
}

func (s *Store) applyEntry(ctx context.Context, _ *contract.Cluster, entry *extensionsv1alpha1.BackupEntry) error {
	dir, err := s.path(entry.Spec.BucketName, strings.TrimPrefix(entry.Name, sourcePrefix))
	if err != nil {
		return err
	}
	given, err := s.given(ctx, entry.Spec.SecretRef)
	if err != nil {
		return err
	}
	host := s.Dir
	if strings.HasPrefix(entry.Name, sourcePrefix) {
		host = given.dir // the provider itself never opens that of another seed
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory of backup entry: %w", err)
	}
	secret := credentials(entry)
	if active, err := s.active(ctx, secret.Namespace); err != nil || !active {
		return err // the entry outlives the namespace of its Shoot
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, s.Client, secret, func() error {
		secret.Type = corev1.SecretTypeOpaque
		secret.Data = given.with(host, entry.Spec.BucketName)
		return nil
	}); err != nil {
		return fmt.Errorf("write secret %s/%s: %w", secret.Namespace, secret.Name, err)
	}
	return nil
}

func (s *Store) removeEntry(ctx context.Context, _ *contract.Cluster, entry *extensionsv1alpha1.BackupEntry) error {
	secret := credentials(entry)
	if err := s.Client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s/%s: %w", secret.Namespace, secret.Name, err)
	}
	if strings.HasPrefix(entry.Name, sourcePrefix) {
		return nil // a source entry is a copy; the backups belong to the original
	}
	dir, err := s.path(entry.Spec.BucketName, entry.Name)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove directory of backup entry: %w", err)
	}
	return nil
}

func (s *Store) active(ctx context.Context, name string) (bool, error) {
	namespace := &corev1.Namespace{}
	if err := s.Client.Get(ctx, client.ObjectKey{Name: name}, namespace); apierrors.IsNotFound(err) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return namespace.DeletionTimestamp == nil, nil
}

// credentials is the Secret for the etcd of an entry. It is etcd-backup in the Shoot's namespace, or
// source-etcd-backup for the entry that a Shoot moves away from.
func credentials(entry *extensionsv1alpha1.BackupEntry) *corev1.Secret {
	name := etcdSecret
	if strings.HasPrefix(entry.Name, sourcePrefix) {
		name = sourcePrefix + etcdSecret
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(entry.Name), Name: name}}
}

// namespaceOf is the Shoot's namespace in the name of an entry, <technical ID>--<uid of the Shoot>.
func namespaceOf(entry string) string {
	entry = strings.TrimPrefix(entry, sourcePrefix)
	if i := strings.LastIndex(entry, "--"); i > 0 {
		return entry[:i]
	}
	return entry
}
