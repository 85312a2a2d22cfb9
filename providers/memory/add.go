package memory

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/manager"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

// Name of the provider and the prefix of its controllers.
const Name = "provider-memory"

// Config of the controllers.
type Config struct {
	// Provider does the work.
	Provider *Provider
	// Types are the values of spec.type that it is responsible for.
	Types []string
}

// AddToManager adds a controller per kind to the manager of a seed.
func AddToManager(mgr manager.Manager, cfg Config) error {
	return errors.Join(
		reconcile.Add(mgr, of[*extensionsv1alpha1.BackupBucket](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.BackupEntry](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Bastion](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.ContainerRuntime](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.ControlPlane](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.DNSRecord](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Extension](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Infrastructure](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Network](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.OperatingSystemConfig](cfg)),
		reconcile.Add(mgr, of[*extensionsv1alpha1.Worker](cfg)),
	)
}

func of[T extensionsv1alpha1.Object](cfg Config) reconcile.Options[T] {
	return reconcile.Options[T]{
		Provider: Name,
		Types:    cfg.Types,
		Classes: []extensionsv1alpha1.ExtensionClass{
			extensionsv1alpha1.ExtensionClassShoot, extensionsv1alpha1.ExtensionClassSeed, extensionsv1alpha1.ExtensionClassGarden,
		},
		Actuator: Actuator[T]{Provider: cfg.Provider},
	}
}
