package own

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestBackupSecret(t *testing.T) {
	ref := client.ObjectKey{Namespace: "garden", Name: "backup-seed-local"}
	t.Run("ETC-10 a new seed has a Secret of its own, which an operator may give a key", func(t *testing.T) {
		w := newWorld(t, store.Seed{Name: "local"})
		w.look(t)
		seed, secret := w.seed(t), &corev1.Secret{}
		if got := seed.Spec.Backup.SecretRef; got.Namespace != ref.Namespace || got.Name != ref.Name {
			t.Fatalf("the Seed refers to %v", got)
		}
		if err := w.garden.Get(t.Context(), ref, secret); err != nil {
			t.Fatal(err)
		}
		secret.Data["encryptionKey"] = []byte("key")
		if err := helper.EncryptionKeyOfOneSeed(secret, "local"); err != nil || string(secret.Data["provider"]) != "local" {
			t.Errorf("Secret with %d values: %v", len(secret.Data), err)
		}
		if err := helper.EncryptionKeyOfOneSeed(secret, "other"); err == nil {
			t.Error("the Secret is given to another seed, too")
		}
	})
	t.Run("ETC-10 a Secret that was there before the seed stays as it is, also when the seed is gone", func(t *testing.T) {
		w := newWorld(t, store.Seed{Name: "local"}, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name}, Data: map[string][]byte{"encryptionKey": []byte("key")},
		})
		w.look(t)
		w.remove(t)
		secret := &corev1.Secret{}
		if err := w.garden.Get(t.Context(), ref, secret); err != nil || string(secret.Data["encryptionKey"]) != "key" || len(secret.Data) != 1 {
			t.Errorf("%d values, %v", len(secret.Data), err)
		}
	})
	t.Run("ETC-10 a Secret that nobody has changed goes with its seed", func(t *testing.T) {
		w := newWorld(t, store.Seed{Name: "local"})
		w.look(t)
		w.remove(t)
		if err := w.garden.Get(t.Context(), ref, &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("the Secret is still there: %v", err)
		}
	})
	t.Run("ETC-10 the Secret of a bucket that outlives its Seed stays", func(t *testing.T) {
		w := newWorld(t, store.Seed{Name: "local"}, &gardencorev1beta1.BackupBucket{
			ObjectMeta: metav1.ObjectMeta{Name: "uid"}, Spec: gardencorev1beta1.BackupBucketSpec{SecretRef: corev1.SecretReference{Namespace: ref.Namespace, Name: ref.Name}},
		})
		w.look(t)
		w.remove(t)
		if err := w.garden.Get(t.Context(), ref, &corev1.Secret{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("ETC-10 a Seed of an older version keeps the Secret that it refers to", func(t *testing.T) {
		before := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Spec: gardencorev1beta1.SeedSpec{
			Backup: &gardencorev1beta1.Backup{Provider: "local", SecretRef: corev1.SecretReference{Namespace: "garden", Name: "backup-local"}},
		}}
		w := newWorld(t, store.Seed{Name: "local", Garden: gardenUID}, before)
		w.look(t)
		if got := w.seed(t).Spec.Backup.SecretRef.Name; got != "backup-local" {
			t.Errorf("the Seed refers to %q", got)
		}
		if err := w.garden.Get(t.Context(), ref, &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("a Secret that nobody refers to: %v", err)
		}
	})
}

const gardenUID = "garden-uid"

// world is a garden in memory with the registration of the seed "local".
type world struct {
	garden       client.Client
	registration *registration
}

func newWorld(t *testing.T, noted store.Seed, objects ...client.Object) world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, gardencorev1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	opened, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := opened.SetSeed(noted); err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte("kubeconfig"), 0o600); err != nil {
		t.Fatal(err)
	}
	source := gardenlets.Source{Identity: store.Identity{Domain: "local.gardener.cloud"}, LogLevel: "info", FurtherZones: []string{"z1"}}
	return world{
		garden: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(),
		registration: &registration{
			name: noted.Name, kubeconfig: kubeconfig, record: &record{store: opened, name: noted.Name}, finish: func() {}, log: logr.Discard(),
			describe: func(context.Context, store.Seed) (*config.SeedConfig, error) {
				return source.Describe(noted.Name, "10.1.0.0/16", "10.2.0.0/16")
			},
		},
	}
}

func (w world) look(t *testing.T) {
	t.Helper()
	if _, err := w.registration.look(t.Context(), w.garden, gardenUID); err != nil {
		t.Fatal(err)
	}
}

// remove removes the seed, and lets the registration see it.
func (w world) remove(t *testing.T) {
	t.Helper()
	w.look(t) // it notes that the Seed is registered
	if err := deleteSeed(t.Context(), w.garden, w.registration.name); err != nil {
		t.Fatal(err)
	}
	w.look(t)
	if noted, _, err := w.registration.record.get(); err != nil || !noted.Removed {
		t.Fatalf("the seed is noted as %+v: %v", noted, err)
	}
}

func (w world) seed(t *testing.T) *gardencorev1beta1.Seed {
	t.Helper()
	seed := &gardencorev1beta1.Seed{}
	if err := w.garden.Get(t.Context(), client.ObjectKey{Name: w.registration.name}, seed); err != nil {
		t.Fatal(err)
	}
	return seed
}
