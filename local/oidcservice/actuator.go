// Package oidcservice handles Extensions of type shoot-oidc-service. It deploys nothing: its status asks the gardenlet for
// the webhook, since the gardenlet has the certificate authorities of the Shoot and configures kube-apiserver.
package oidcservice

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Type of the Extensions.
const Type = oidcv1alpha1.ExtensionType

// New makes the actuator.
func New() contract.ExtensionActuator {
	return contract.Simple[*extensionsv1alpha1.Extension]{Apply: ask}
}

func ask(_ context.Context, _ *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	if config := extension.Spec.ProviderConfig; config != nil && len(config.Raw) > 0 && string(config.Raw) != "null" {
		err := fmt.Errorf("extension %s has no providerConfig: providers are OpenIDConnects in the cluster of the Shoot", Type)
		return contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
	}
	raw, err := json.Marshal(oidcv1alpha1.Service{TypeMeta: metav1.TypeMeta{APIVersion: oidcv1alpha1.SchemeGroupVersion.String(), Kind: oidcv1alpha1.KindService}})
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	extension.Status.ProviderStatus = &runtime.RawExtension{Raw: raw}
	return nil
}
