package controllerinstallation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/ocichart"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// caBundleKey is the key in a Secret with certificates for a registry.
const caBundleKey = "bundle.crt"

// origin is the providerConfig of deployments of type helm.
type origin struct {
	Chart         []byte              `json:"chart,omitempty"` // compressed tar archive
	Values        map[string]any      `json:"values,omitempty"`
	OCIRepository *core.OCIRepository `json:"ociRepository,omitempty"`
}

// originOf reads the providerConfig of a deployment of type helm.
func originOf(deployment *gardencorev1beta1.ControllerDeployment) (*origin, error) {
	out := &origin{}
	if err := json.Unmarshal(deployment.ProviderConfig.Raw, out); err != nil {
		return nil, fmt.Errorf("providerConfig of ControllerDeployment %q: %w", deployment.Name, err)
	}
	if len(out.Chart) == 0 && out.OCIRepository == nil {
		return nil, fmt.Errorf("ControllerDeployment %q has neither a chart nor an OCI repository", deployment.Name)
	}
	return out, nil
}

// archive returns the archive of the chart, pulled if necessary.
func (r *Reconciler) archive(ctx context.Context, from *origin) ([]byte, error) {
	if len(from.Chart) > 0 {
		return from.Chart, nil
	}
	var access ocichart.Access
	err := errors.Join(
		r.gardenSecret(ctx, from.OCIRepository.PullSecretRef, corev1.DockerConfigJsonKey, &access.PullSecret),
		r.gardenSecret(ctx, from.OCIRepository.CABundleSecretRef, caBundleKey, &access.CABundle))
	if err != nil {
		return nil, err
	}
	return r.charts.Pull(ctx, from.OCIRepository, access)
}

// gardenSecret reads a key of a Secret in the namespace garden of the garden. Nothing is read without a reference.
func (r *Reconciler) gardenSecret(ctx context.Context, ref *corev1.LocalObjectReference, key string, to *[]byte) error {
	if ref == nil {
		return nil
	}
	secret := &corev1.Secret{}
	if err := r.Reader.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: ref.Name}, secret); err != nil {
		return fmt.Errorf("read secret %q of the garden: %w", ref.Name, err)
	}
	if *to = secret.Data[key]; len(*to) == 0 {
		return fmt.Errorf("secret %q of the garden has no key %q", ref.Name, key)
	}
	return nil
}
