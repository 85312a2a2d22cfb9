// Package backup keeps backups in directories of the host: one directory per BackupBucket, with one subdirectory per
// BackupEntry. The backup sidecar of etcd writes the content of an entry's directory.
package backup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const (
	gardenNamespace = "garden"
	// generatedPrefix is followed by the name of the BackupBucket.
	generatedPrefix = "generated-bucket-"

	// KeyHostPath is the key of credentials for the directory that holds the buckets.
	KeyHostPath = "hostPath"
	// KeyBucketName is the key of an etcd's credentials for its bucket.
	KeyBucketName = "bucketName"
)

// Store is the directory of all buckets and the seed that uses them.
type Store struct {
	// Client of the seed.
	Client client.Client
	// Dir is absolute. It is created together with the first bucket.
	Dir string
}

// Buckets makes the actuator for BackupBuckets.
func (s *Store) Buckets() contract.BackupBucketActuator {
	return contract.Simple[*extensionsv1alpha1.BackupBucket]{Apply: s.applyBucket, Remove: s.removeBucket}
}

func (s *Store) applyBucket(ctx context.Context, _ *contract.Cluster, bucket *extensionsv1alpha1.BackupBucket) error {
	dir, err := s.path(bucket.Name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory of bucket: %w", err)
	}
	given, err := s.given(ctx, bucket.Spec.SecretRef)
	if err != nil {
		return err
	}
	secret := generatedSecret(bucket)
	if _, err := controllerutil.CreateOrUpdate(ctx, s.Client, secret, func() error {
		secret.Type = corev1.SecretTypeOpaque
		secret.Data = given.with(s.Dir, bucket.Name)
		return nil
	}); err != nil {
		return fmt.Errorf("write secret %s: %w", secret.Name, err)
	}
	bucket.Status.GeneratedSecretRef = &corev1.SecretReference{Namespace: secret.Namespace, Name: secret.Name}
	return nil
}

func (s *Store) removeBucket(ctx context.Context, _ *contract.Cluster, bucket *extensionsv1alpha1.BackupBucket) error {
	dir, err := s.path(bucket.Name)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove directory of bucket: %w", err)
	}
	secret := generatedSecret(bucket)
	if err := s.Client.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s: %w", secret.Name, err)
	}
	bucket.Status.GeneratedSecretRef = nil
	return nil
}

// path returns the directory of a bucket, or of an entry in it. Names come from objects, and the bucket name of an
// entry from a field without a pattern. So names that lead out of the store are refused.
func (s *Store) path(names ...string) (string, error) {
	for _, name := range names {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\`) {
			return "", contract.Permanent(fmt.Errorf("%q cannot be the name of a bucket or entry", name), "ERR_CONFIGURATION_PROBLEM")
		}
	}
	return filepath.Join(append([]string{s.Dir}, names...)...), nil
}

func generatedSecret(bucket *extensionsv1alpha1.BackupBucket) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: gardenNamespace, Name: generatedPrefix + bucket.Name}}
}
