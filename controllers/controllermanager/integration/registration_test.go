package integration

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestControllerInstallations(t *testing.T) {
	t.Parallel()
	deployment := create(t, &gardencorev1beta1.ControllerDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: "infra"}, Type: "builtin", ProviderConfig: runtime.RawExtension{Raw: []byte("{}")},
	})
	registration := create(t, &gardencorev1beta1.ControllerRegistration{
		ObjectMeta: metav1.ObjectMeta{Name: "infra"},
		Spec: gardencorev1beta1.ControllerRegistrationSpec{
			Resources:  []gardencorev1beta1.ControllerResource{{Kind: "Infrastructure", Type: "special"}},
			Deployment: &gardencorev1beta1.ControllerRegistrationDeployment{DeploymentRefs: []gardencorev1beta1.DeploymentRef{{Name: "infra"}}},
		},
	})
	seed := newSeed("installing")
	seed.Spec.Provider.Type = "special"
	create(t, seed)

	find := func(ctx context.Context) (*gardencorev1beta1.ControllerInstallation, error) {
		list := &gardencorev1beta1.ControllerInstallationList{}
		if err := garden.List(ctx, list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if list.Items[i].Spec.RegistrationRef.Name == "infra" && list.Items[i].Spec.SeedRef.Name == "installing" {
				return &list.Items[i], nil
			}
		}
		return nil, fmt.Errorf("no installation among %d", len(list.Items))
	}
	t.Run("GCM-25 GCM-26 a seed gets what it needs", func(t *testing.T) {
		eventually(t, "installation", func(ctx context.Context) error { _, err := find(ctx); return err })
		installation, err := find(t.Context())
		if err != nil || installation.Spec.DeploymentRef == nil || installation.Spec.DeploymentRef.Name != "infra" {
			t.Errorf("installation %+v, %v", installation, err)
		}
	})
	t.Run("GCM-27 a registration in use stays", func(t *testing.T) {
		eventually(t, "finalizer", func(ctx context.Context) error {
			if _, err := get(ctx, registration); err != nil || len(registration.Finalizers) == 0 {
				return fmt.Errorf("no finalizer (%v)", err)
			}
			return nil
		})
		if err := garden.Delete(t.Context(), registration); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t.Context(), registration); err != nil {
			t.Errorf("registration is gone: %v", err)
		}
	})
	t.Run("GCM-26 GCM-27 GCM-28 everything goes with the seed", func(t *testing.T) {
		if _, err := get(t.Context(), seed); err != nil || len(seed.Finalizers) == 0 {
			t.Fatalf("seed has no finalizer (%v)", err)
		}
		remove(t, seed)
		eventually(t, "seed", isGone(seed))
		eventually(t, "registration", isGone(registration))
		if _, err := find(t.Context()); err == nil {
			t.Error("installation still exists")
		}
		if err := garden.Delete(t.Context(), deployment); err != nil {
			t.Fatal(err)
		}
		eventually(t, "deployment", isGone(deployment))
	})
}
