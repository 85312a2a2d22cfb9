package memory

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// fill writes into the status the fields that callers of a kind rely on.
func fill(obj extensionsv1alpha1.Object, cluster *contract.Cluster) {
	obj.GetExtensionStatus().SetProviderStatus(&runtime.RawExtension{Raw: []byte(`{"memory":true}`)})
	switch o := obj.(type) {
	case *extensionsv1alpha1.Infrastructure:
		nodes := "10.10.0.0/16"
		if cluster != nil && cluster.Shoot != nil && cluster.Shoot.Spec.Networking != nil && cluster.Shoot.Spec.Networking.Nodes != nil {
			nodes = *cluster.Shoot.Spec.Networking.Nodes
		}
		o.Status.NodesCIDR = &nodes
		o.Status.State = &runtime.RawExtension{Raw: []byte(`{"id":"` + o.Name + `"}`)}
	case *extensionsv1alpha1.OperatingSystemConfig:
		o.Status.CloudConfig = &extensionsv1alpha1.CloudConfig{
			SecretRef: corev1.SecretReference{Namespace: o.Namespace, Name: "osc-result-" + o.Name},
		}
	case *extensionsv1alpha1.DNSRecord:
		zone := "memory"
		o.Status.Zone = &zone
	case *extensionsv1alpha1.Worker:
		o.Status.MachineDeployments = nil
		for _, pool := range o.Spec.Pools {
			o.Status.MachineDeployments = append(o.Status.MachineDeployments, extensionsv1alpha1.MachineDeployment{
				Name: fmt.Sprintf("%s-%s-z1", o.Namespace, pool.Name), Minimum: pool.Minimum, Maximum: pool.Maximum,
			})
		}
		now := metav1.Now()
		o.Status.MachineDeploymentsLastUpdateTime = &now
	}
}
