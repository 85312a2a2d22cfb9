// Package backupbucket creates the buckets for backups. For every BackupBucket of the garden that belongs to the seed
// it creates one of extensions.gardener.cloud in the seed. It copies the credentials to the seed, and the status and
// generated credentials back to the garden.
package backupbucket

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/extensionmirror"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Reconciler handles the BackupBuckets of one seed. All fields are required.
type Reconciler struct {
	Garden    client.Client
	Reader    client.Reader // of the garden, uncached, for Secrets, and for entries that came a moment ago
	Mirror    extensionmirror.Mirror
	SeedCache cache.Cache // changes in it wake the controller
	SeedName  string
}

// SecretName is the Secret with the credentials of the bucket in the garden namespace of the seed.
func SecretName(bucket string) string { return "bucket-" + bucket }

// Reconcile handles one BackupBucket. It does not wait for the extension: changes in the seed wake it.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	before := &gardencorev1beta1.BackupBucket{}
	if err := r.Garden.Get(ctx, request.NamespacedName, before); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	bucket := before.DeepCopy()
	if !r.ours(bucket) {
		return reconcile.Result{}, nil // an entry in the bucket of another seed has moved
	}
	if bucket.DeletionTimestamp != nil {
		return reconcile.Result{}, r.delete(ctx, bucket)
	}
	if err := patch.Metadata(ctx, r.Garden, bucket, func() { controllerutil.AddFinalizer(bucket, constants.GardenerName) }); err != nil {
		return reconcile.Result{}, err
	}
	before = bucket.DeepCopy()
	err := r.reconcile(ctx, bucket)
	if err != nil {
		bucket.Status.LastError = &gardencorev1beta1.LastError{Description: err.Error()}
	}
	return reconcile.Result{}, errors.Join(err, patch.Status(ctx, r.Garden, bucket, before))
}

func (r *Reconciler) reconcile(ctx context.Context, bucket *gardencorev1beta1.BackupBucket) error {
	data, err := r.credentials(ctx, bucket)
	if err != nil {
		return err
	}
	if err := r.Mirror.CopySecret(ctx, SecretName(bucket.Name), data); err != nil {
		return err
	}
	current, err := r.Mirror.Request(ctx, Extension(bucket), bucket.Generation, manifest.Checksum(data))
	if err != nil {
		return err
	}
	inSeed := current.(*extensionsv1alpha1.BackupBucket)
	status := &bucket.Status
	status.ObservedGeneration = bucket.Generation
	status.LastOperation, status.LastError = r.Mirror.Report(inSeed, operationType(bucket), status.LastOperation)
	status.ProviderStatus = inSeed.Status.ProviderStatus
	status.GeneratedSecretRef, err = r.fetchGeneratedSecret(ctx, bucket, inSeed)
	return err
}

// Extension returns the object in the seed.
func Extension(bucket *gardencorev1beta1.BackupBucket) *extensionsv1alpha1.BackupBucket {
	return &extensionsv1alpha1.BackupBucket{
		ObjectMeta: metav1.ObjectMeta{Name: bucket.Name},
		Spec: extensionsv1alpha1.BackupBucketSpec{
			DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: bucket.Spec.Provider.Type, ProviderConfig: bucket.Spec.ProviderConfig},
			Region:      bucket.Spec.Provider.Region,
			SecretRef:   corev1.SecretReference{Namespace: constants.GardenNamespace, Name: SecretName(bucket.Name)},
		},
	}
}

func operationType(bucket *gardencorev1beta1.BackupBucket) gardencorev1beta1.LastOperationType {
	last := bucket.Status.LastOperation
	if last == nil || (last.Type == gardencorev1beta1.LastOperationTypeCreate && last.State != gardencorev1beta1.LastOperationStateSucceeded) {
		return gardencorev1beta1.LastOperationTypeCreate
	}
	if last.Type == gardencorev1beta1.LastOperationTypeCreate && bucket.Status.ObservedGeneration == bucket.Generation {
		return gardencorev1beta1.LastOperationTypeCreate
	}
	return gardencorev1beta1.LastOperationTypeReconcile
}

// credentials returns the data of the Secret in the garden that the bucket refers to.
func (r *Reconciler) credentials(ctx context.Context, bucket *gardencorev1beta1.BackupBucket) (map[string][]byte, error) {
	if ref := bucket.Spec.CredentialsRef; ref != nil && ref.Kind != "Secret" {
		return nil, fmt.Errorf("credentials of kind %q are not supported", ref.Kind)
	}
	key := helper.BucketOwnCredentials(bucket)
	secret := &corev1.Secret{}
	if err := r.Reader.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read credentials %q of the bucket: %w", key, err)
	}
	if err := helper.EncryptionKeyOfOneSeed(secret, r.SeedName); err != nil {
		return nil, err
	}
	return secret.Data, nil
}

// fetchGeneratedSecret copies credentials that the extension generated to the garden, where backups of all seeds find
// them.
func (r *Reconciler) fetchGeneratedSecret(ctx context.Context, bucket *gardencorev1beta1.BackupBucket, inSeed *extensionsv1alpha1.BackupBucket) (*corev1.SecretReference, error) {
	ref := inSeed.Status.GeneratedSecretRef
	if ref == nil {
		return nil, nil
	}
	generated := &corev1.Secret{}
	if err := r.Mirror.Seed.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, generated); err != nil {
		return nil, fmt.Errorf("read generated credentials: %w", err)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: constants.SecretPrefixGeneratedBackupBucket + bucket.Name},
		Type:       corev1.SecretTypeOpaque, Data: generated.Data,
	}
	if _, err := (patch.Applier{Client: r.Garden, Owner: "gardenlet"}).Apply(ctx, secret); err != nil {
		return nil, err
	}
	return &corev1.SecretReference{Namespace: secret.Namespace, Name: secret.Name}, nil
}

func (r *Reconciler) delete(ctx context.Context, bucket *gardencorev1beta1.BackupBucket) error {
	if !controllerutil.ContainsFinalizer(bucket, constants.GardenerName) {
		return nil
	}
	before := bucket.DeepCopy()
	inSeed := Extension(bucket)
	users, err := r.entries(ctx, bucket.Name)
	gone := false
	switch {
	case err != nil:
	case users > 0:
		err = fmt.Errorf("bucket is still used by %d backup entries", users)
	default:
		gone, err = r.Mirror.Delete(ctx, inSeed)
	}
	if err == nil && gone {
		return r.letGo(ctx, bucket)
	}
	bucket.Status.ObservedGeneration = bucket.Generation
	if err == nil {
		bucket.Status.LastOperation, bucket.Status.LastError = r.Mirror.Report(inSeed, gardencorev1beta1.LastOperationTypeDelete, bucket.Status.LastOperation)
	} else {
		bucket.Status.LastError = &gardencorev1beta1.LastError{Description: err.Error()}
	}
	return errors.Join(err, patch.Status(ctx, r.Garden, bucket, before))
}

func (r *Reconciler) letGo(ctx context.Context, bucket *gardencorev1beta1.BackupBucket) error {
	generated := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: constants.GardenNamespace, Name: constants.SecretPrefixGeneratedBackupBucket + bucket.Name,
	}}
	err := errors.Join(r.Mirror.DeleteSecret(ctx, SecretName(bucket.Name)), client.IgnoreNotFound(r.Garden.Delete(ctx, generated)))
	if err != nil {
		return fmt.Errorf("delete credentials of the bucket: %w", err)
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Garden, bucket, func() {
		controllerutil.RemoveFinalizer(bucket, constants.GardenerName)
	}))
}

// entries counts the entries in a bucket, which keep it from being deleted with all backups.
func (r *Reconciler) entries(ctx context.Context, bucket string) (int, error) {
	list := &gardencorev1beta1.BackupEntryList{}
	if err := r.Reader.List(ctx, list); err != nil { // also if the API server does not know the kind: it only starts
		return 0, fmt.Errorf("list backup entries: %w", err)
	}
	users := 0
	for i := range list.Items {
		if list.Items[i].Spec.BucketName == bucket {
			users++
		}
	}
	return users, nil
}
