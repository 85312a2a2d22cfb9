package integration

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestTakenShoot lets seed a take a shoot from seed b, which does not help.
func TestTakenShoot(t *testing.T) {
	const project = "garden-taken"
	shoot := newShoot(project, "taken", "b")
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: meta("", project)}, &core.Project{ObjectMeta: meta("", "taken"), Spec: core.ProjectSpec{Namespace: ptr.To(project)}},
		secret(project, "cloud", nil),
		&core.SecretBinding{ObjectMeta: meta(project, "binding"), Provider: &core.SecretBindingProvider{Type: "local"}, SecretRef: corev1.SecretReference{Namespace: project, Name: "cloud"}},
		shoot,
	} {
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	fromA, fromB := string(objects["a"]["Seed"].GetUID()), string(objects["b"]["Seed"].GetUID())
	entry := newEntry("b", project, fromB)
	entry.Name = fmt.Sprintf("shoot--taken--taken--%s", shoot.UID)
	entry.OwnerReferences = []metav1.OwnerReference{{APIVersion: core.SchemeGroupVersion.String(), Kind: "Shoot", Name: shoot.Name, UID: shoot.UID}}
	created := shoot.DeepCopy()
	created.Status.TechnicalID, created.Status.UID, created.Status.SeedName = "shoot--taken--taken", shoot.UID, ptr.To("b")
	created.Status.LastOperation = &core.LastOperation{Type: core.LastOperationTypeCreate, State: core.LastOperationStateSucceeded, LastUpdateTime: metav1.Now()}
	if err := errors.Join(admin.Create(t.Context(), entry), admin.Status().Patch(t.Context(), created, client.MergeFrom(shoot))); err != nil {
		t.Fatal(err)
	}
	bound := created.DeepCopy()
	bound.Spec.SeedName = ptr.To("a")
	if err := admin.SubResource("binding").Update(t.Context(), bound); err != nil {
		t.Fatal(err)
	}
	clients := map[string]client.Client{}
	for _, seed := range []string{"a", "b", "c"} {
		made, err := newClient(gardenletOf(seed))
		if err != nil {
			t.Fatal(err)
		}
		clients[seed] = made
	}
	abort := func(by string) error {
		taken := bound.DeepCopy()
		taken.Status.SeedName = nil
		taken.Status.LastOperation = &core.LastOperation{Type: core.LastOperationTypeMigrate, State: core.LastOperationStateAborted, LastUpdateTime: metav1.Now()}
		return clients[by].Status().Patch(t.Context(), taken, client.MergeFrom(bound))
	}
	take := func(by string) error {
		found := &core.BackupEntry{}
		if err := clients[by].Get(t.Context(), client.ObjectKeyFromObject(entry), found); err != nil {
			return err
		}
		before := found.DeepCopy()
		found.Spec.SeedName = ptr.To("a")
		if err := clients[by].Patch(t.Context(), found, client.MergeFrom(before)); err != nil {
			return err
		}
		before = found.DeepCopy()
		found.Status.LastOperation = &core.LastOperation{Type: core.LastOperationTypeMigrate, State: core.LastOperationStateAborted, LastUpdateTime: metav1.Now()}
		if err := clients[by].Status().Patch(t.Context(), found, client.MergeFrom(before)); err != nil {
			return err
		}
		before = found.DeepCopy()
		found.Spec.BucketName = fromA
		return clients[by].Patch(t.Context(), found, client.MergeFrom(before))
	}
	t.Run("GAC-9 MIG-15 a third seed takes no shoot", func(t *testing.T) {
		if err := abort("c"); !apierrors.IsForbidden(err) {
			t.Errorf("error: %v", err)
		}
	})
	t.Run("GAC-9 MIG-15 while a shoot moves, its next seed does not have the backups", func(t *testing.T) {
		for _, object := range []client.Object{entry, &core.BackupBucket{ObjectMeta: meta("", fromB)}, secret("garden", "backup-b", nil)} {
			found := object.DeepCopyObject().(client.Object)
			if err := clients["a"].Get(t.Context(), client.ObjectKeyFromObject(object), found); !apierrors.IsForbidden(err) {
				t.Errorf("read %T: %v", object, err)
			}
		}
	})
	t.Run("GAC-9 MIG-15 the next seed takes the shoot and its backups", func(t *testing.T) {
		if err := eventually(func() error { return abort("a") }); err != nil {
			t.Fatal(err)
		}
		for _, object := range []client.Object{entry, &core.BackupBucket{ObjectMeta: meta("", fromB)}, secret("garden", "backup-b", nil)} {
			found := object.DeepCopyObject().(client.Object)
			if err := eventually(func() error { return clients["a"].Get(t.Context(), client.ObjectKeyFromObject(object), found) }); err != nil {
				t.Errorf("read %T: %v", object, err)
			}
		}
		if err := take("c"); !apierrors.IsForbidden(err) {
			t.Errorf("a third seed takes the backups: %v", err)
		}
		if err := take("a"); err != nil {
			t.Error(err)
		}
	})
	t.Run("GAC-9 MIG-15 the former seed writes the shoot no longer", func(t *testing.T) {
		err := eventually(func() error {
			change := bound.DeepCopy()
			change.Status.SeedName = ptr.To("again")
			if err := clients["b"].Status().Patch(t.Context(), change, client.MergeFrom(bound), client.DryRunAll); !apierrors.IsForbidden(err) {
				return fmt.Errorf("the error of the former seed is %v", err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("GAC-9 MIG-15 the bucket of the former seed is closed again", func(t *testing.T) {
		err := eventually(func() error {
			if err := clients["a"].Get(t.Context(), client.ObjectKey{Name: fromB}, &core.BackupBucket{}); !apierrors.IsForbidden(err) {
				return fmt.Errorf("the error of a read is %v", err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
