package local

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/containerruntime"
	"github.com/gardener-up/gardener-up/local/extension"
	"github.com/gardener-up/gardener-up/local/network"
	"github.com/gardener-up/gardener-up/local/oidcservice"
	"github.com/gardener-up/gardener-up/local/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/local/registrycache"
)

// DeploymentType is the type of the provider's ControllerDeployment. Nothing is deployed, because the provider's
// controllers are part of the binary.
const DeploymentType = "builtin"

// Registrations describe the provider to the garden: its admission policies, a ControllerDeployment and a
// ControllerRegistration, in the order in which they must be applied.
func Registrations() []client.Object {
	return append(containerruntime.Admission(),
		&gardencorev1beta1.ControllerDeployment{
			TypeMeta:       metav1.TypeMeta{APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "ControllerDeployment"},
			ObjectMeta:     metav1.ObjectMeta{Name: Name},
			Type:           DeploymentType,
			ProviderConfig: runtime.RawExtension{Raw: []byte("{}")},
		},
		&gardencorev1beta1.ControllerRegistration{
			TypeMeta:   metav1.TypeMeta{APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "ControllerRegistration"},
			ObjectMeta: metav1.ObjectMeta{Name: Name},
			Spec: gardencorev1beta1.ControllerRegistrationSpec{
				Resources: resources(),
				Deployment: &gardencorev1beta1.ControllerRegistrationDeployment{
					DeploymentRefs: []gardencorev1beta1.DeploymentRef{{Name: Name}},
				},
			},
		},
	)
}

// resources are the kinds and types the provider acts on, as AddToManager adds them.
func resources() []gardencorev1beta1.ControllerResource {
	var out []gardencorev1beta1.ControllerResource
	for _, kind := range []string{
		extensionsv1alpha1.BackupBucketResource,
		extensionsv1alpha1.BackupEntryResource,
		extensionsv1alpha1.BastionResource,
		extensionsv1alpha1.ControlPlaneResource,
		extensionsv1alpha1.DNSRecordResource,
		extensionsv1alpha1.InfrastructureResource,
		extensionsv1alpha1.WorkerResource,
	} {
		out = append(out, gardencorev1beta1.ControllerResource{Kind: kind, Type: api.Type})
	}
	for kind, types := range map[string][]string{
		extensionsv1alpha1.ContainerRuntimeResource:      containerruntime.Types(),
		extensionsv1alpha1.ExtensionResource:             extensionTypes(),
		extensionsv1alpha1.NetworkResource:               network.Types(),
		extensionsv1alpha1.OperatingSystemConfigResource: operatingsystemconfig.Types(),
	} {
		for _, t := range types {
			out = append(out, gardencorev1beta1.ControllerResource{Kind: kind, Type: t})
		}
	}
	for i := range out {
		switch out[i].Type {
		case oidcservice.Type: // kube-apiserver gets a flag for it
			out[i].Lifecycle = &gardencorev1beta1.ControllerResourceLifecycle{Reconcile: ptr.To(gardencorev1beta1.BeforeKubeAPIServer)}
			out[i].WorkerlessSupported = ptr.To(true)
		case extension.TypeSeed:
			out[i].ClusterCompatibility = []gardencorev1beta1.ClusterType{gardencorev1beta1.ClusterTypeSeed}
		case extension.TypeAfterWorker:
			out[i].Lifecycle = &gardencorev1beta1.ControllerResourceLifecycle{Reconcile: ptr.To(gardencorev1beta1.AfterWorker)}
		}
	}
	slices.SortFunc(out, func(a, b gardencorev1beta1.ControllerResource) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Type, b.Type))
	})
	return out
}

// extensionTypes are the types of Extensions.
func extensionTypes() []string {
	return append(extension.Types(), oidcservice.Type, registrycache.Type)
}
