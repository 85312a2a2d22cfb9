// Package extension handles Extensions, with one actuator per type. Types of its own exist so that Shoots can use them, such
// as those in public examples. They install nothing, and the status says so.
package extension

import (
	"context"
	"fmt"
	"maps"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Types of extensions that install nothing. TypeAfterWorker is handled after the nodes of a shoot. TypeSeed is for seeds only.
const (
	TypeShoot       = "local-ext-shoot"
	TypeAfterWorker = "local-ext-shoot-after-worker"
	TypeSeed        = "local-ext-seed"
)

// Types are the types that install nothing.
func Types() []string { return []string{api.Type, TypeShoot, TypeAfterWorker, TypeSeed} }

// New makes the actuators for Types.
func New() Actuator {
	out := Actuator{}
	for _, name := range Types() {
		out[name] = contract.Simple[*extensionsv1alpha1.Extension]{Apply: simulate}
	}
	return out
}

func simulate(_ context.Context, _ *contract.Cluster, extension *extensionsv1alpha1.Extension) error {
	extension.Status.ProviderStatus = api.Encode(api.Simulated{TypeMeta: api.Meta("Simulated"), Simulated: true})
	return nil
}

// Actuator has an actuator per type. It implements contract.ExtensionActuator itself.
type Actuator map[string]contract.ExtensionActuator

var _ contract.ExtensionActuator = Actuator{}

// With returns the actuators with those for more types.
func (a Actuator) With(more map[string]contract.ExtensionActuator) Actuator {
	out := maps.Clone(a)
	maps.Copy(out, more)
	return out
}

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
