package resourcemanager

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// GardenValues are the inputs for the resource manager of a virtual garden.
type GardenValues struct {
	Namespace string
	// Prefix begins the names of its objects, since the resource manager of the runtime cluster has the same namespace.
	Prefix   string
	Replicas int32
	// Image is the appliance image.
	Image string
	// ClusterIdentity of the garden, for the origin of managed objects.
	ClusterIdentity string
	Access          pod.Mount
}

// GardenObjects builds the resource manager of a virtual garden: its permissions in the runtime cluster and, last, the Deployment. It
// applies the ManagedResources without a class, and requests tokens. A virtual garden has no pods, so the resource manager has no webhooks.
func GardenObjects(v GardenValues) []client.Object {
	name, labels := v.Prefix+Name, map[string]string{constants.LabelApp: v.Prefix + Name}
	meta := metav1.ObjectMeta{Name: name, Namespace: v.Namespace, Labels: names.WithRole(labels)}
	deployment := pod.Deployment(pod.Spec{
		Name: name, Namespace: v.Namespace, Image: v.Image, Labels: labels, Component: "resource-manager",
		Args: []string{
			"--namespace=" + v.Namespace,
			"--target-kubeconfig=" + access.Kubeconfig(),
			"--cluster-id=" + v.ClusterIdentity,
			fmt.Sprintf("--leader-elect=%t", v.Replicas > 1),
			fmt.Sprintf("--bind-address=$(POD_IP):%d", port),
			"--token-requestor=true",
			"--token-requestor-class=shoot",
		},
		Replicas: v.Replicas, Port: port,
		Ready: pod.Plain(pod.Ready("/readyz", port)), Live: pod.Plain(pod.Live("/healthz", port)),
		Mounts: []pod.Mount{v.Access}, ServiceAccount: name, PriorityClass: constants.PriorityClassNameGardenSystem400,
		Reaches: []string{constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer, names.Reach(v.Prefix+names.APIServer, names.APIServerPort)},
	})
	return append(pod.Account(meta, gardenRules()), deployment)
}

func gardenRules() []rbacv1.PolicyRule {
	return rules()[:len(rules())-1] // without machines
}
