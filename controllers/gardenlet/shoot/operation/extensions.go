package operation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Extension is an object of kind Extension that a shoot needs.
type Extension struct {
	Type           string
	ProviderConfig *runtime.RawExtension
	// Reconcile, Delete and Migrate say when it is handled, relative to kube-apiserver.
	Reconcile, Delete, Migrate gardencorev1beta1.ControllerResourceLifecycleStrategy
}

// RequiredExtensions returns the extensions in the spec of the Shoot, and those that are enabled for every shoot unless
// it opts out.
func RequiredExtensions(shoot *gardencorev1beta1.Shoot, registrations []gardencorev1beta1.ControllerRegistration) []Extension {
	workerless := helper.IsWorkerless(shoot)
	found := map[string]Extension{}
	lifecycles := map[string]*gardencorev1beta1.ControllerResourceLifecycle{}
	for _, registration := range registrations {
		for _, resource := range registration.Spec.Resources {
			if resource.Kind != extensionsv1alpha1.ExtensionResource {
				continue
			}
			lifecycles[resource.Type] = resource.Lifecycle
			everywhere := ptr.Deref(resource.GloballyEnabled, false) || slices.Contains(resource.AutoEnable, gardencorev1beta1.ClusterTypeShoot)
			if everywhere && (!workerless || ptr.Deref(resource.WorkerlessSupported, false)) {
				found[resource.Type] = Extension{Type: resource.Type}
			}
		}
	}
	for _, extension := range shoot.Spec.Extensions {
		if ptr.Deref(extension.Disabled, false) {
			delete(found, extension.Type)
			continue
		}
		found[extension.Type] = Extension{Type: extension.Type, ProviderConfig: extension.ProviderConfig}
	}
	var out []Extension
	for _, name := range slices.Sorted(maps.Keys(found)) {
		extension := found[name]
		extension.Reconcile, extension.Delete = gardencorev1beta1.AfterKubeAPIServer, gardencorev1beta1.BeforeKubeAPIServer
		extension.Migrate = gardencorev1beta1.BeforeKubeAPIServer
		if lifecycle := lifecycles[name]; lifecycle != nil {
			extension.Reconcile = ptr.Deref(lifecycle.Reconcile, extension.Reconcile)
			extension.Delete = ptr.Deref(lifecycle.Delete, extension.Delete)
			extension.Migrate = ptr.Deref(lifecycle.Migrate, extension.Migrate)
		}
		out = append(out, extension)
	}
	return out
}
