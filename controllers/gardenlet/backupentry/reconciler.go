// Package backupentry creates the storage location for the backup of each shoot. For every BackupEntry of the garden
// that belongs to the seed it creates one of extensions.gardener.cloud with the same name in the seed. It also keeps
// backups of deleted shoots for the configured time.
package backupentry

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/extensionmirror"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Reconciler handles the BackupEntries of one seed. All fields are required.
type Reconciler struct {
	Garden    client.Client
	Reader    client.Reader // of the garden, uncached, for Secrets
	Mirror    extensionmirror.Mirror
	SeedCache cache.Cache // changes in it wake the controller
	Clock     clock.PassiveClock
	SeedName  string
	Grace     Grace
}

// SecretName is the Secret with the credentials of the entry in the garden namespace of the seed.
func SecretName(entry string) string { return "entry-" + entry }

// Reconcile handles one BackupEntry. It does not wait for the extension: changes in the seed wake it.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	entry := &gardencorev1beta1.BackupEntry{}
	if err := r.Garden.Get(ctx, request.NamespacedName, entry); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.ours(entry) {
		return reconcile.Result{}, nil
	}
	entry = entry.DeepCopy()
	if entry.DeletionTimestamp != nil {
		return r.delete(ctx, entry)
	}
	if *entry.Spec.SeedName != r.SeedName {
		return reconcile.Result{}, r.release(ctx, entry)
	}
	if err := patch.Metadata(ctx, r.Garden, entry, func() { controllerutil.AddFinalizer(entry, constants.GardenerName) }); err != nil {
		return reconcile.Result{}, err
	}
	before := entry.DeepCopy()
	err := r.reconcile(ctx, entry)
	if err != nil {
		entry.Status.LastError = &gardencorev1beta1.LastError{Description: err.Error()}
	}
	return reconcile.Result{}, errors.Join(err, patch.Status(ctx, r.Garden, entry, before))
}

func (r *Reconciler) reconcile(ctx context.Context, entry *gardencorev1beta1.BackupEntry) error {
	bucket := &gardencorev1beta1.BackupBucket{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: entry.Spec.BucketName}, bucket); err != nil {
		return fmt.Errorf("read bucket %q: %w", entry.Spec.BucketName, err)
	}
	if Released(entry) && ptr.Deref(bucket.Spec.SeedName, "") != r.SeedName {
		return nil // the gardenlet of the seed that takes the shoot chooses the bucket first
	}
	if last := bucket.Status.LastOperation; last == nil || last.State != gardencorev1beta1.LastOperationStateSucceeded {
		return nil // a change of the bucket wakes the entry
	}
	data, err := r.credentials(ctx, bucket)
	if err != nil {
		return err
	}
	if err := r.Mirror.CopySecret(ctx, SecretName(entry.Name), data); err != nil {
		return err
	}
	current, err := r.Mirror.Request(ctx, Extension(entry, bucket), entry.Generation, manifest.Checksum(data))
	if err != nil {
		return err
	}
	status := &entry.Status
	status.ObservedGeneration, status.SeedName = entry.Generation, &r.SeedName
	status.LastOperation, status.LastError = r.Mirror.Report(current, operationType(entry), status.LastOperation)
	status.MigrationStartTime = nil
	return nil
}

// Extension returns the object in the seed.
func Extension(entry *gardencorev1beta1.BackupEntry, bucket *gardencorev1beta1.BackupBucket) *extensionsv1alpha1.BackupEntry {
	return &extensionsv1alpha1.BackupEntry{
		ObjectMeta: metav1.ObjectMeta{Name: entry.Name},
		Spec: extensionsv1alpha1.BackupEntrySpec{
			DefaultSpec:                extensionsv1alpha1.DefaultSpec{Type: bucket.Spec.Provider.Type, ProviderConfig: bucket.Spec.ProviderConfig},
			BackupBucketProviderStatus: bucket.Status.ProviderStatus,
			Region:                     bucket.Spec.Provider.Region,
			BucketName:                 bucket.Name,
			SecretRef:                  corev1.SecretReference{Namespace: constants.GardenNamespace, Name: SecretName(entry.Name)},
		},
	}
}

func operationType(entry *gardencorev1beta1.BackupEntry) gardencorev1beta1.LastOperationType {
	last := entry.Status.LastOperation
	if last != nil && (last.Type == gardencorev1beta1.LastOperationTypeMigrate ||
		last.Type == gardencorev1beta1.LastOperationTypeRestore && (last.State != gardencorev1beta1.LastOperationStateSucceeded || entry.Status.ObservedGeneration == entry.Generation)) {
		return gardencorev1beta1.LastOperationTypeRestore
	}
	if last == nil || (last.Type == gardencorev1beta1.LastOperationTypeCreate &&
		(last.State != gardencorev1beta1.LastOperationStateSucceeded || entry.Status.ObservedGeneration == entry.Generation)) {
		return gardencorev1beta1.LastOperationTypeCreate
	}
	return gardencorev1beta1.LastOperationTypeReconcile
}

func (r *Reconciler) delete(ctx context.Context, entry *gardencorev1beta1.BackupEntry) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(entry, constants.GardenerName) {
		return reconcile.Result{}, nil
	}
	if left := r.Grace.Left(entry, r.Clock.Now()); left > 0 && !isSource(entry) {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	inSeed := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: entry.Name}}
	gone, err := r.Mirror.Delete(ctx, inSeed)
	if err == nil && gone {
		if err := r.Mirror.DeleteSecret(ctx, SecretName(entry.Name)); err != nil {
			return reconcile.Result{}, fmt.Errorf("delete credentials of the entry: %w", err)
		}
		return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Garden, entry, func() {
			controllerutil.RemoveFinalizer(entry, constants.GardenerName)
		}))
	}
	before := entry.DeepCopy()
	entry.Status.ObservedGeneration = entry.Generation
	if err == nil {
		entry.Status.LastOperation, entry.Status.LastError = r.Mirror.Report(inSeed, gardencorev1beta1.LastOperationTypeDelete, entry.Status.LastOperation)
	} else {
		entry.Status.LastError = &gardencorev1beta1.LastError{Description: err.Error()}
	}
	return reconcile.Result{}, errors.Join(err, patch.Status(ctx, r.Garden, entry, before))
}
