package seed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// inGarden is what the garden knows of a seed and what belongs to it.
type inGarden struct{ client client.Client }

// deployBackupBucket writes the BackupBucket of the seed to the garden; the controller for BackupBuckets creates the
// bucket.
func (g inGarden) deployBackupBucket(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	desired := BackupBucket(seed)
	existing := &gardencorev1beta1.BackupBucket{}
	err := g.client.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	if apierrors.IsNotFound(err) {
		if err := g.client.Create(ctx, desired); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create backup bucket: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read backup bucket: %w", err)
	}
	updated := existing.DeepCopy()
	updated.Spec = desired.Spec
	if equality.Semantic.DeepEqual(updated.Spec, existing.Spec) {
		return nil
	}
	if err := g.client.Patch(ctx, updated, client.MergeFrom(existing)); err != nil {
		return fmt.Errorf("update backup bucket: %w", err)
	}
	return nil
}

// BackupBucket returns the bucket of a seed with a backup. Its name is the UID of the Seed, and its region that of the
// backup or else of the seed.
func BackupBucket(seed *gardencorev1beta1.Seed) *gardencorev1beta1.BackupBucket {
	backup := seed.Spec.Backup
	region := ptr.Deref(backup.Region, "")
	return &gardencorev1beta1.BackupBucket{
		ObjectMeta: metav1.ObjectMeta{
			Name:            string(seed.UID),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(seed, gardencorev1beta1.SchemeGroupVersion.WithKind("Seed"))},
		},
		Spec: gardencorev1beta1.BackupBucketSpec{
			Provider: gardencorev1beta1.BackupBucketProvider{
				Type: backup.Provider, Region: cmp.Or(region, seed.Spec.Provider.Region),
			},
			ProviderConfig: backup.ProviderConfig, SeedName: &seed.Name,
			SecretRef: backup.SecretRef, CredentialsRef: credentials(backup),
		},
	}
}

// credentials returns the reference to the credentials of the backup in its newer form, whichever form was used.
func credentials(backup *gardencorev1beta1.Backup) *corev1.ObjectReference {
	if backup.CredentialsRef != nil || backup.SecretRef.Name == "" {
		return backup.CredentialsRef
	}
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: backup.SecretRef.Namespace, Name: backup.SecretRef.Name}
}

func (g inGarden) destroyBackupBucket(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	bucket := &gardencorev1beta1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: string(seed.UID)}}
	err := g.client.Delete(ctx, bucket)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete backup bucket: %w", err)
	}
	return fmt.Errorf("backup bucket %q is still being deleted", bucket.Name)
}

func (g inGarden) ensureNoInstallations(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	list := &gardencorev1beta1.ControllerInstallationList{}
	if err := g.client.List(ctx, list); err != nil {
		return fmt.Errorf("list controller installations: %w", err)
	}
	var left []string
	for i := range list.Items {
		if ref := list.Items[i].Spec.SeedRef; ref != nil && ref.Name == seed.Name {
			left = append(left, list.Items[i].Name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	return fmt.Errorf("controller installations still exist: %s", strings.Join(left, ", "))
}

// hosted returns the names of the shoots that are on the seed, or are being moved from or to it.
func (g inGarden) hosted(ctx context.Context, seed string) ([]string, error) {
	list := &gardencorev1beta1.ShootList{}
	if err := g.client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list shoots: %w", err)
	}
	var names []string
	for i := range list.Items {
		shoot := &list.Items[i]
		if ptr.Deref(shoot.Spec.SeedName, "") == seed || ptr.Deref(shoot.Status.SeedName, "") == seed {
			names = append(names, client.ObjectKeyFromObject(shoot).String())
		}
	}
	return names, nil
}
