package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// succeed answers a request as an extension does.
func succeed(t *testing.T, object extensionsv1alpha1.Object, more string) {
	t.Helper()
	eventually(t, "extension object", func(ctx context.Context) error {
		return cluster.Get(ctx, client.ObjectKey{Name: object.GetName()}, object.(client.Object))
	})
	merge(t, object.(client.Object), `{"metadata":{"finalizers":["extensions.gardener.cloud/test"],"annotations":{"gardener.cloud/operation":null}}}`)
	now := metav1.Now().UTC().Format("2006-01-02T15:04:05Z")
	merge(t, object.(client.Object), fmt.Sprintf(`{"status":{"observedGeneration":%d,"lastError":null,"lastOperation":{"type":"Reconcile","state":"Succeeded","progress":100,"description":"x","lastUpdateTime":%q}%s}}`,
		object.GetGeneration(), now, more), "status")
}

func lastState(operation *gardencorev1beta1.LastOperation) string {
	if operation == nil {
		return ""
	}
	return string(operation.State)
}

func TestBackup(t *testing.T) {
	eventually(t, "bootstrapped", conditionIs("Bootstrapped", "True"))
	seed, err := get(t.Context(), theSeed())
	if err != nil {
		t.Fatal(err)
	}
	name := string(seed.UID)
	bucket := &gardencorev1beta1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: name}}
	inSeed := &extensionsv1alpha1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: name}}
	bucketIs := func(state string) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, bucket); err != nil || lastState(bucket.Status.LastOperation) != state {
				return fmt.Errorf("status %+v, %v", bucket.Status, err)
			}
			return nil
		}
	}
	t.Run("API-31 BKP-2 a seed with backup has a bucket", func(t *testing.T) {
		eventually(t, "bucket", bucketIs("Processing"))
		if len(bucket.OwnerReferences) != 1 || *bucket.Spec.SeedName != "local" || bucket.OwnerReferences[0].UID != seed.UID {
			t.Errorf("bucket %+v", bucket)
		}
	})
	t.Run("BKP-3 the bucket is of another provider than the seed, and in its region", func(t *testing.T) {
		eventually(t, "bucket in the seed", func(ctx context.Context) error { _, err := get(ctx, inSeed); return err })
		if got := bucket.Spec.Provider; got.Type != "elsewhere" || got.Region != "far" || inSeed.Spec.Type != "elsewhere" || inSeed.Spec.Region != "far" {
			t.Errorf("bucket %+v, in the seed %+v", got, inSeed.Spec)
		}
	})
	t.Run("GLT-21 the extension gets credentials and its answer is mirrored", func(t *testing.T) {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "made-by-extension"}, Data: map[string][]byte{"made": []byte("x")}})
		succeed(t, inSeed, `,"generatedSecretRef":{"namespace":"garden","name":"made-by-extension"}`)
		eventually(t, "bucket", bucketIs("Succeeded"))
		credentials, err := get(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: inSeed.Spec.SecretRef.Name}})
		if err != nil || string(credentials.Data["key"]) != "value" {
			t.Errorf("credentials %v, %v", credentials.Data, err)
		}
		if ref := bucket.Status.GeneratedSecretRef; ref == nil || ref.Name != "generated-bucket-"+name {
			t.Errorf("generated secret %v", ref)
		}
		eventually(t, "seed", conditionIs("BackupBucketsReady", "True"))
	})
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden-dev"}})
	entry := create(t, &gardencorev1beta1.BackupEntry{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "shoot--dev--x--1234"},
		Spec:       gardencorev1beta1.BackupEntrySpec{BucketName: name, SeedName: ptr.To("local")},
	})
	entryInSeed := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: entry.Name}}
	t.Run("ETC-6 GLT-17 an entry is asked for with the credentials that the status of its bucket names, and its answer is mirrored", func(t *testing.T) {
		succeed(t, entryInSeed, "")
		eventually(t, "entry", func(ctx context.Context) error {
			if _, err := get(ctx, entry); err != nil || lastState(entry.Status.LastOperation) != "Succeeded" {
				return fmt.Errorf("status %+v, %v", entry.Status, err)
			}
			return nil
		})
		credentials, err := get(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: entryInSeed.Spec.SecretRef.Name}})
		if err != nil || string(credentials.Data["made"]) != "x" {
			t.Errorf("credentials %v, %v", credentials.Data, err)
		}
	})
	t.Run("BKP-3 the entry is of the bucket's provider", func(t *testing.T) {
		if spec := entryInSeed.Spec; spec.Type != "elsewhere" || spec.Region != "far" || spec.BucketName != name {
			t.Errorf("entry %+v", spec)
		}
	})
	second := create(t, &gardencorev1beta1.BackupEntry{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "shoot--dev--y--5678"},
		Spec:       gardencorev1beta1.BackupEntrySpec{BucketName: name, SeedName: ptr.To("local")},
	})
	t.Run("BKP-2 a second entry has its own place in the same bucket", func(t *testing.T) {
		inSeed := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: second.Name}}
		succeed(t, inSeed, "")
		buckets := &gardencorev1beta1.BackupBucketList{}
		if err := cluster.List(t.Context(), buckets); err != nil || len(buckets.Items) != 1 || inSeed.Spec.BucketName != entryInSeed.Spec.BucketName {
			t.Errorf("entries in %q and %q, %d buckets, %v", entryInSeed.Spec.BucketName, inSeed.Spec.BucketName, len(buckets.Items), err)
		}
		if err := cluster.Delete(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		eventually(t, "deletion in the seed", func(ctx context.Context) error {
			if _, err := get(ctx, inSeed); err != nil || inSeed.DeletionTimestamp == nil {
				return fmt.Errorf("not being deleted (%v)", err)
			}
			return nil
		})
		merge(t, inSeed, `{"metadata":{"finalizers":null}}`)
		eventually(t, "entry", isGone(second))
		if _, err := get(t.Context(), bucket); err != nil || bucket.DeletionTimestamp != nil {
			t.Errorf("the bucket has gone with one of its entries: %v", err)
		}
	})
	t.Run("GLT-17 an error of the extension is shown", func(t *testing.T) {
		merge(t, entryInSeed, `{"status":{"lastError":{"description":"full"}}}`, "status")
		eventually(t, "entry", func(ctx context.Context) error {
			if _, err := get(ctx, entry); err != nil || entry.Status.LastError == nil || entry.Status.LastError.Description != "full" {
				return fmt.Errorf("status %+v, %v", entry.Status, err)
			}
			return nil
		})
	})
	t.Run("GLT-18 GLT-20 an entry of a purpose that is not listed stays until the extension is done", func(t *testing.T) {
		if err := cluster.Delete(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
		eventually(t, "deletion in the seed", func(ctx context.Context) error {
			if _, err := get(ctx, entryInSeed); err != nil || entryInSeed.DeletionTimestamp == nil {
				return fmt.Errorf("not being deleted (%v)", err)
			}
			return nil
		})
		if _, err := get(t.Context(), entry); err != nil {
			t.Errorf("entry: %v", err)
		}
		merge(t, entryInSeed, `{"metadata":{"finalizers":null}}`)
		eventually(t, "entry", isGone(entry))
	})
	kept := create(t, &gardencorev1beta1.BackupEntry{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "garden-dev", Name: "shoot--dev--kept--1234", Annotations: map[string]string{"shoot.gardener.cloud/purpose": "production"},
		},
		Spec: gardencorev1beta1.BackupEntrySpec{BucketName: name, SeedName: ptr.To("local")},
	})
	keptInSeed := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: kept.Name}}
	t.Run("GLT-19 GLT-20 an entry of a purpose that is listed is kept for the grace period", func(t *testing.T) {
		succeed(t, keptInSeed, "")
		if err := cluster.Delete(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
		testwait.Stays(t, time.Second, "the gardenlet, which reacts to a deletion at once", func() error {
			if _, err := get(t.Context(), keptInSeed); err != nil || keptInSeed.DeletionTimestamp != nil {
				return fmt.Errorf("the entry of the seed is deleted at %v (%v)", keptInSeed.DeletionTimestamp, err)
			}
			return nil
		})
	})
	t.Run("GLT-19 an annotation ends the grace period", func(t *testing.T) {
		merge(t, kept, `{"metadata":{"annotations":{"backupentry.core.gardener.cloud/force-deletion":"true"}}}`)
		eventually(t, "deletion in the seed", func(ctx context.Context) error {
			if _, err := get(ctx, keptInSeed); err != nil || keptInSeed.DeletionTimestamp == nil {
				return fmt.Errorf("not being deleted (%v)", err)
			}
			return nil
		})
		merge(t, keptInSeed, `{"metadata":{"finalizers":null}}`)
		eventually(t, "entry", isGone(kept))
	})
}
