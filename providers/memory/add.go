package memory

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

// Name of the provider and the prefix of its controllers.
const Name = "provider-memory"

// AddToManager adds a controller per kind for objects of the types given to the manager of a seed.
func (p *Provider) AddToManager(mgr manager.Manager, types ...string) error {
	return errors.Join(
		reconcile.Add(mgr, of[*extensionsv1alpha1.BackupBucket](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.BackupEntry](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Bastion](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.ContainerRuntime](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.ControlPlane](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.DNSRecord](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Extension](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Infrastructure](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Network](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.OperatingSystemConfig](p, types)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Worker](p, types)),
	)
}

func of[T extensionsv1alpha1.Object](p *Provider, types []string) reconcile.Options[T] {
	return reconcile.Options[T]{
		Provider: Name,
		Types:    types,
		Classes: []extensionsv1alpha1.ExtensionClass{
			extensionsv1alpha1.ExtensionClassShoot, extensionsv1alpha1.ExtensionClassSeed, extensionsv1alpha1.ExtensionClassGarden,
		},
		Actuator: Actuator[T]{Provider: p},
	}
}
