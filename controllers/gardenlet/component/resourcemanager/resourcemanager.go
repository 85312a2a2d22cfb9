// Package resourcemanager builds the gardener-resource-manager of a shoot, which applies the ManagedResources in the
// namespace of the shoot to the shoot. The package writes nothing to a cluster.
package resourcemanager

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Name of the Deployment and its related objects.
const Name = "gardener-resource-manager"

const (
	port        = 8081
	webhookPort = pod.WebhookPort // the API server of the shoot calls it at the address of the pod, which is registered at every start
)

// Values are the inputs for the objects.
type Values struct {
	Namespace string
	Replicas  int32
	// Image is the appliance image.
	Image string
	// ClusterIdentity of the seed, for the origin of managed objects.
	ClusterIdentity string
	// ServiceHost is the name of the API server that pods of the shoot use instead of the Service kubernetes; if it is
	// empty, they use the Service.
	ServiceHost string
	Access      pod.Mount
}

// Access is the identity of the resource manager in the shoot. It has the group system:masters, which needs no object in the shoot.
// The resource manager would have to create such an object itself.
var Access = access.Client{Component: Name, User: "gardener.cloud:system:gardener-resource-manager", Groups: []string{"system:masters"}}

// Objects builds the permissions in the seed and, last, the Deployment.
func Objects(v Values) ([]client.Object, *appsv1.Deployment) {
	meta := metav1.ObjectMeta{Name: Name, Namespace: v.Namespace, Labels: names.WithRole(labels())}
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: v.Namespace, Image: v.Image, Labels: labels(), Component: "resource-manager",
		Args: []string{
			"--namespace=" + v.Namespace,
			"--target-kubeconfig=" + access.Kubeconfig(),
			"--cluster-id=" + v.ClusterIdentity,
			fmt.Sprintf("--leader-elect=%t", v.Replicas > 1),
			fmt.Sprintf("--bind-address=$(POD_IP):%d", port),
			"--token-requestor=true",
			"--token-requestor-class=shoot",
			"--csr-approver=true",
			"--machine-namespace=" + v.Namespace,
			"--node-controller=true",
			"--node-backoff=500ms", // a check costs three small requests, and shoots wait for it
			"--webhook-configuration-name=gardener-resource-manager-shoot",
			fmt.Sprintf("--webhook-bind-address=$(POD_IP):%d", webhookPort),
			fmt.Sprintf("--webhook-url=https://%s.%s.svc:%d", Name, v.Namespace, webhookPort), // the API server calls no addresses of the seed
			"--webhook-projected-token-mount=true",
			"--webhook-pod-topology-spread-constraints=true",
			"--webhook-high-availability-config=true",
			"--webhook-system-components-config=true",
			"--system-components-node-selector=" + constants.LabelWorkerPoolSystemComponents + "=true",
			"--system-components-pod-node-selector=" + constants.LabelWorkerPoolSystemComponents + "=true",
			"--kubernetes-service-host=" + v.ServiceHost,
			"--target-namespace=" + metav1.NamespaceSystem,
		},
		Replicas: v.Replicas, Port: port,
		Ready: pod.Plain(pod.Ready("/readyz", port)), Live: pod.Plain(pod.Live("/healthz", port)),
		Mounts:         []pod.Mount{v.Access},
		ServiceAccount: Name, PriorityClass: constants.PriorityClassNameShootControlPlane400,
		Reaches: []string{constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer, names.Reach(names.APIServer, names.APIServerPort)},
	})
	return append(pod.Account(meta, rules()), service(v.Namespace), deployment), deployment
}

// service is the name of the webhooks, and allows connections from the API server of the shoot if network policies are
// enforced. It has no address, and the name leads to pods before they are ready: they are not ready before webhooks work.
func service(namespace string) *corev1.Service {
	out := pod.Service(metav1.ObjectMeta{Name: Name, Namespace: namespace, Labels: names.WithRole(labels())}, labels(), "webhooks", webhookPort)
	out.Spec.ClusterIP, out.Spec.PublishNotReadyAddresses = corev1.ClusterIPNone, true
	return out
}

func labels() map[string]string { return map[string]string{constants.LabelApp: Name} }

func rules() []rbacv1.PolicyRule {
	write := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	return []rbacv1.PolicyRule{
		{APIGroups: []string{"resources.gardener.cloud"}, Resources: []string{"managedresources", "managedresources/status"}, Verbs: write},
		{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps", "events"}, Verbs: write},
		{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: write},
		{APIGroups: []string{"machine.sapcloud.io"}, Resources: []string{"machines"}, Verbs: []string{"get", "list", "watch"}},
	}
}
