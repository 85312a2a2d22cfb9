package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRenewalsOnDemand(t *testing.T) {
	seed := theSeed()
	operationIs := func(want string) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := get(ctx, seed); err != nil {
				return err
			}
			if got := seed.Annotations["gardener.cloud/operation"]; got != want {
				return fmt.Errorf("operation is %q", got)
			}
			return nil
		}
	}
	order := func(t *testing.T, operation string) {
		t.Helper()
		merge(t, seed, fmt.Sprintf(`{"metadata":{"annotations":{"gardener.cloud/operation":%q}}}`, operation))
	}
	t.Run("GLT-7 the annotation of the Seed renews the kubeconfig once and goes", func(t *testing.T) {
		before := credentials.renewals()
		order(t, "renew-kubeconfig")
		eventually(t, "operation", operationIs(""))
		if got := credentials.renewals(); got != before+1 {
			t.Errorf("%d renewals", got-before)
		}
	})
	t.Run("GLT-7 the annotation stays until the renewal succeeds", func(t *testing.T) {
		credentials.fail(errors.New("not now"))
		order(t, "renew-kubeconfig")
		before := credentials.renewals()
		eventually(t, "operation", operationIs("renew-kubeconfig"))
		credentials.fail(nil)
		eventually(t, "operation", operationIs(""))
		if credentials.renewals() == before {
			t.Error("nothing was renewed")
		}
	})
	t.Run("GLT-8 the annotation of the Seed asks for new tokens of extensions for the garden", func(t *testing.T) {
		const due = "serviceaccount.resources.gardener.cloud/token-renew-timestamp"
		create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "extension-renewal"}})
		secret := func(name, class string) *corev1.Secret {
			return create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: "extension-renewal", Name: name, Annotations: map[string]string{due: "2100-01-01T00:00:00Z"},
				Labels: map[string]string{"resources.gardener.cloud/purpose": "token-requestor", "resources.gardener.cloud/class": class},
			}})
		}
		garden, other := secret("garden-access-extension", "garden"), secret("shoot-access-extension", "shoot")
		order(t, "renew-garden-access-secrets")
		eventually(t, "operation", operationIs(""))
		for secret, want := range map[*corev1.Secret]bool{garden: false, other: true} {
			if _, err := get(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			if _, found := secret.Annotations[due]; found != want {
				t.Errorf("secret %s has the annotations %v", secret.Name, secret.Annotations)
			}
		}
	})
}
