package oidcservice

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestActuator(t *testing.T) {
	t.Run("OIDC-7 the status asks the gardenlet for the webhook", func(t *testing.T) {
		extension := &extensionsv1alpha1.Extension{}
		if err := New().Reconcile(t.Context(), nil, extension); err != nil {
			t.Fatal(err)
		}
		if got := string(extension.Status.ProviderStatus.Raw); got != `{"kind":"OpenIDConnectService","apiVersion":"authentication.gardener.cloud/v1alpha1"}` {
			t.Errorf("status: %s", got)
		}
	})
	t.Run("OIDC-7 the user has to correct a providerConfig", func(t *testing.T) {
		extension := &extensionsv1alpha1.Extension{}
		extension.Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte(`{"issuer":"https://issuer"}`)}
		if err := New().Reconcile(t.Context(), nil, extension); !slices.Contains(contract.Codes(err), gardencorev1beta1.ErrorConfigurationProblem) {
			t.Errorf("error: %v", err)
		}
	})
}
