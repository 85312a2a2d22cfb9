// Package extension accepts objects of the kinds Extension and ContainerRuntime with type local. They exist so that
// Shoots which ask for them work; nothing is installed, and the status says so.
package extension

import (
	"context"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// New makes the actuator for Extensions.
func New() contract.ExtensionActuator {
	return contract.Simple[*extensionsv1alpha1.Extension]{Apply: simulate[*extensionsv1alpha1.Extension]}
}

// NewContainerRuntime makes the actuator for ContainerRuntimes.
func NewContainerRuntime() contract.ContainerRuntimeActuator {
	return contract.Simple[*extensionsv1alpha1.ContainerRuntime]{Apply: simulate[*extensionsv1alpha1.ContainerRuntime]}
}

func simulate[T extensionsv1alpha1.Object](_ context.Context, _ *contract.Cluster, obj T) error {
	obj.GetExtensionStatus().SetProviderStatus(api.Encode(api.Simulated{TypeMeta: api.Meta("Simulated"), Simulated: true}))
	return nil
}
