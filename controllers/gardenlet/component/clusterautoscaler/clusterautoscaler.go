// Package clusterautoscaler builds the cluster-autoscaler of a shoot. The autoscaler changes the sizes of the
// MachineDeployments in the namespace of the shoot as the pods of the shoot require. The package writes nothing to a
// cluster.
package clusterautoscaler

import (
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Name of the Deployment and its related objects.
const Name = constants.DeploymentNameClusterAutoscaler

// Resource is the name of the ManagedResource.
const Resource = "shoot-core-cluster-autoscaler"

// User is the name of the autoscaler in the shoot; ShootObjects builds its permissions.
const User = "system:cluster-autoscaler"

const port = 8085

// Values are the inputs for the objects.
type Values struct {
	Namespace string
	Replicas  int32
	// Image is the appliance image.
	Image string
	// Config is the configuration in the Shoot; nil for all defaults.
	Config *gardencorev1beta1.ClusterAutoscaler
	// MachineDeployments are those in the status of the Worker. Those with a fixed size are left out.
	MachineDeployments []extensionsv1alpha1.MachineDeployment
	Access             pod.Mount
}

// Access is the identity of the autoscaler in the shoot.
var Access = access.Client{Component: Name, User: User}

// Objects builds the objects in the seed: the permissions and, last, the Deployment.
func Objects(v Values) ([]client.Object, *appsv1.Deployment) {
	labels := names.ControlPlane(Name)
	meta := metav1.ObjectMeta{Name: Name, Namespace: v.Namespace, Labels: names.WithRole(labels)}
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: v.Namespace, Image: v.Image, Labels: labels, Component: Name,
		Args: v.args(), Replicas: v.Replicas, Port: port,
		Ready: pod.Plain(pod.Ready("/readyz", port)), Live: pod.Plain(pod.Live("/health-check", port)),
		Mounts:         []pod.Mount{v.Access},
		ServiceAccount: Name, PriorityClass: constants.PriorityClassNameShootControlPlane300, Restarted: true,
		Reaches: []string{
			constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer, names.Reach(names.APIServer, names.APIServerPort),
		},
	})
	deployment.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType} // two replicas would revert each other's marks
	machines := []string{"machine.sapcloud.io"}
	return append(pod.Account(meta, []rbacv1.PolicyRule{
		{APIGroups: machines, Resources: []string{"machineclasses", "machinesets"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: machines, Resources: []string{"machinedeployments", "machines"}, Verbs: []string{"get", "list", "watch", "patch", "update"}},
	}), deployment), deployment
}
