// Package gardens makes the Garden of a landscape from its configuration, and describes the process to the controllers of Gardens:
// which of its parts are which components. It does not reconcile Gardens.
package gardens

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const ingressController = "nginx"

// Values are what the Garden of a landscape depends on.
type Values struct {
	// Name of the Garden, which is that of the landscape.
	Name string
	// Domain of the virtual garden; its API server is api.<Domain>.
	Domain string
	// Identity of the garden among all gardens.
	Identity string
	// Version of Kubernetes of the virtual garden, without "v".
	Version string
	// VirtualServices is the range of Services of the virtual garden.
	VirtualServices string
	// Runtime is the first seed.
	Runtime gardencorev1beta1.SeedSpec
}

// Object returns the Garden with its defaults.
func Object(v Values) *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{
		TypeMeta:   metav1.TypeMeta{APIVersion: operatorv1alpha1.SchemeGroupVersion.String(), Kind: "Garden"},
		ObjectMeta: metav1.ObjectMeta{Name: v.Name},
	}
	networks := v.Runtime.Networks
	runtime := &garden.Spec.RuntimeCluster
	runtime.Ingress.Controller.Kind = ingressController
	domain := "ingress." + v.Domain
	if ingress := v.Runtime.Ingress; ingress != nil {
		domain = ingress.Domain
	}
	runtime.Ingress.Domains = []operatorv1alpha1.DNSDomain{{Name: domain}}
	runtime.Networking = operatorv1alpha1.RuntimeNetworking{Pods: []string{networks.Pods}, Services: []string{networks.Services}, BlockCIDRs: networks.BlockCIDRs}
	if networks.Nodes != nil {
		runtime.Networking.Nodes = []string{*networks.Nodes}
	}
	runtime.Provider = operatorv1alpha1.Provider{Zones: v.Runtime.Provider.Zones}
	runtime.Settings = &operatorv1alpha1.Settings{VerticalPodAutoscaler: &operatorv1alpha1.SettingVerticalPodAutoscaler{Enabled: ptr.To(false)}}
	virtual := &garden.Spec.VirtualCluster
	virtual.DNS.Domains = []operatorv1alpha1.DNSDomain{{Name: v.Domain}}
	virtual.Gardener.ClusterIdentity = v.Identity
	virtual.Kubernetes.Version = v.Version
	virtual.Networking.Services = []string{v.VirtualServices}
	operatorv1alpha1.SetDefaultsGarden(garden)
	return garden
}
