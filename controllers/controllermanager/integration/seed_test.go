package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func conditionIs(seed *gardencorev1beta1.Seed, kind, status string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := get(ctx, seed); err != nil {
			return err
		}
		for _, c := range seed.Status.Conditions {
			if string(c.Type) == kind && string(c.Status) == status {
				return nil
			}
		}
		return fmt.Errorf("%s is not %s: %+v", kind, status, seed.Status.Conditions)
	}
}

// ready makes a seed look as if a gardenlet had bootstrapped it.
func ready(t *testing.T, seed *gardencorev1beta1.Seed) {
	t.Helper()
	now := metav1.Now().UTC().Format(time.RFC3339)
	conditions := ""
	for _, kind := range []string{"Bootstrapped", "GardenletReady", "ExtensionsReady"} {
		if conditions != "" {
			conditions += ","
		}
		conditions += fmt.Sprintf(`{"type":%q,"status":"True","reason":"x","message":"x","lastTransitionTime":%q,"lastUpdateTime":%q}`, kind, now, now)
	}
	renew(t, seed.Name)
	merge(t, seed, `{"status":{"conditions":[`+conditions+`]}}`, "status")
}

// renew writes a lease as the gardenlet does, and goes on as long as the test runs and nobody else holds the lease.
func renew(t *testing.T, seed string) (stop func()) {
	t.Helper()
	lease := create(t, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "gardener-system-seed-lease", Name: seed},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &seed, LeaseDurationSeconds: ptr.To[int32](2), RenewTime: &metav1.MicroTime{Time: time.Now()}},
	})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		for tick := time.Tick(200 * time.Millisecond); ; {
			now := time.Now().UTC().Format(metav1.RFC3339Micro)
			own := fmt.Sprintf(`[{"op":"test","path":"/spec/holderIdentity","value":%q},{"op":"replace","path":"/spec/renewTime","value":%q}]`, seed, now)
			_ = garden.Patch(ctx, lease, client.RawPatch(types.JSONPatchType, []byte(own))) // again in a moment
			select {
			case <-ctx.Done():
				return
			case <-tick:
			}
		}
	}()
	return cancel
}

func TestSeedSecrets(t *testing.T) {
	t.Parallel()
	original := create(t, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "domain", Labels: map[string]string{"gardener.cloud/role": "default-domain"}},
		Data:       map[string][]byte{"a": []byte("1")},
	})
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "private"}})
	create(t, newSeed("copying"))
	duplicate := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "seed-copying", Name: "domain"}}
	has := func(want string) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, duplicate); err != nil || string(duplicate.Data["a"]) != want {
				return fmt.Errorf("data %v, %v", duplicate.Data, err)
			}
			return nil
		}
	}
	t.Run("GCM-19 GCM-20 secrets with a role are copied", func(t *testing.T) {
		eventually(t, "copy", has("1"))
		if err := isGone(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "seed-copying", Name: "private"}})(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("GCM-20 copies follow their originals", func(t *testing.T) {
		merge(t, original, `{"data":{"a":"Mg=="}}`)
		eventually(t, "copy", has("2"))
	})
	t.Run("GCM-20 changed copies are restored", func(t *testing.T) {
		merge(t, duplicate, `{"data":{"a":"Mw=="}}`)
		eventually(t, "copy", has("2"))
	})
	t.Run("GCM-20 copies go with their originals", func(t *testing.T) {
		if err := garden.Delete(t.Context(), original); err != nil {
			t.Fatal(err)
		}
		eventually(t, "copy", isGone(duplicate))
	})
}

func TestSeedLifecycle(t *testing.T) {
	t.Parallel()
	seed := create(t, newSeed("silent"))
	now := metav1.Now().UTC().Format(time.RFC3339)
	stop := renew(t, "silent")
	merge(t, seed, fmt.Sprintf(`{"status":{"conditions":[{"type":"GardenletReady","status":"True","reason":"x","message":"x","lastTransitionTime":%q,"lastUpdateTime":%q}]}}`, now, now), "status")
	t.Run("GCM-22 a renewed lease changes nothing", func(t *testing.T) {
		stays(t, monitorPeriod+time.Second, "condition", conditionIs(seed, "GardenletReady", "True"))
	})
	t.Run("GCM-22 without renewal the seed is unknown", func(t *testing.T) {
		stop()
		eventually(t, "unknown", conditionIs(seed, "GardenletReady", "Unknown"))
	})
}

func TestBackupBucketsReady(t *testing.T) {
	t.Parallel()
	seed := newSeed("buckets")
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "bucket-credentials"}})
	seed.Spec.Backup = &gardencorev1beta1.Backup{Provider: "local", Region: ptr.To("buckets"), SecretRef: corev1.SecretReference{Namespace: "garden", Name: "bucket-credentials"}}
	create(t, seed)
	t.Run("GCM-21 a missing bucket makes it unknown", func(t *testing.T) {
		eventually(t, "unknown", conditionIs(seed, "BackupBucketsReady", "Unknown"))
	})
	bucket := create(t, &gardencorev1beta1.BackupBucket{
		ObjectMeta: metav1.ObjectMeta{Name: "bucket"},
		Spec: gardencorev1beta1.BackupBucketSpec{
			Provider: gardencorev1beta1.BackupBucketProvider{Type: "local", Region: "buckets"}, SeedName: ptr.To("buckets"),
			SecretRef:      corev1.SecretReference{Namespace: "garden", Name: "bucket-credentials"},
			CredentialsRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: "garden", Name: "bucket-credentials"},
		},
	})
	t.Run("GCM-21 a bucket without error makes it true", func(t *testing.T) {
		eventually(t, "true", conditionIs(seed, "BackupBucketsReady", "True"))
	})
	t.Run("GCM-21 an error of a bucket makes it false", func(t *testing.T) {
		merge(t, bucket, `{"status":{"lastError":{"description":"full"}}}`, "status")
		eventually(t, "false", conditionIs(seed, "BackupBucketsReady", "False"))
	})
}

func TestConditionsAreRestored(t *testing.T) {
	t.Parallel()
	seed := create(t, newSeed("restored"))
	eventually(t, "true", conditionIs(seed, "ExtensionsReady", "True"))
	t.Run("EXT-21 a finding of earlier that was written late does not stay", func(t *testing.T) {
		now := metav1.Now().UTC().Format(time.RFC3339)
		merge(t, seed, fmt.Sprintf(`{"status":{"conditions":[{"type":"ExtensionsReady","status":"False","reason":"x","message":"not reported yet","lastTransitionTime":%q,"lastUpdateTime":%q}]}}`, now, now), "status")
		eventually(t, "true", conditionIs(seed, "ExtensionsReady", "True"))
	})
}

func leaseOf(seed string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "gardener-system-seed-lease", Name: seed}}
}
