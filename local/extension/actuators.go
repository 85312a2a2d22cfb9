// Package extension handles Extensions, with one actuator per type. The type local exists so that Shoots can use it; it
// installs nothing, and the status says so.
package extension

import (
	"context"
	"fmt"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// New makes the actuator for the type local.
func New() contract.ExtensionActuator {
	return contract.Simple[*extensionsv1alpha1.Extension]{Apply: simulate}
}

func simulate(_ context.Context, _ *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	extension.Status.ProviderStatus = api.Encode(api.Simulated{TypeMeta: api.Meta("Simulated"), Simulated: true})
	return nil
}

// Actuator has an actuator per type. It implements contract.ExtensionActuator itself.
type Actuator map[string]contract.ExtensionActuator

var _ contract.ExtensionActuator = Actuator{}

// of returns the actuator for an object; an unregistered type is a mistake in the wiring.
func (a Actuator) of(extension *extensionsv1alpha1.Extension) (contract.ExtensionActuator, error) {
	if actuator, ok := a[extension.Spec.Type]; ok {
		return actuator, nil
	}
	return nil, fmt.Errorf("extension type %q is not known", extension.Spec.Type)
}

// Reconcile implements contract.Actuator.
func (a Actuator) Reconcile(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	actuator, err := a.of(extension)
	if err != nil {
		return err
	}
	return actuator.Reconcile(ctx, cluster, extension)
}

// Delete implements contract.Actuator.
func (a Actuator) Delete(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	actuator, err := a.of(extension)
	if err != nil {
		return err
	}
	return actuator.Delete(ctx, cluster, extension)
}

// ForceDelete implements contract.Actuator.
func (a Actuator) ForceDelete(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	actuator, err := a.of(extension)
	if err != nil {
		return err
	}
	return actuator.ForceDelete(ctx, cluster, extension)
}

// Migrate implements contract.Actuator.
func (a Actuator) Migrate(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	actuator, err := a.of(extension)
	if err != nil {
		return err
	}
	return actuator.Migrate(ctx, cluster, extension)
}

// Restore implements contract.Actuator.
func (a Actuator) Restore(ctx context.Context, cluster *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	actuator, err := a.of(extension)
	if err != nil {
		return err
	}
	return actuator.Restore(ctx, cluster, extension)
}
