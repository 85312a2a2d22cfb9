// Package machinecontrollermanager builds the machine-controller-manager of a shoot, which turns the Machines in the
// namespace of the shoot into nodes of the shoot. The package writes nothing to a cluster.
package machinecontrollermanager

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Name of the Deployment and its related objects.
const Name = "machine-controller-manager"

// User is the name of the controller in the shoot; its permissions are part of the system resources there.
const User = "system:machine-controller-manager"

const port = 10258

// Values are the inputs for the objects.
type Values struct {
	Namespace string
	Replicas  int32
	// Image is the appliance image.
	Image  string
	Access pod.Mount
}

// Access is the identity of the controller in the shoot.
var Access = access.Client{Component: Name, User: User}

// Objects builds the permissions in the seed and, last, the Deployment.
func Objects(v Values) ([]client.Object, *appsv1.Deployment) {
	labels := map[string]string{constants.LabelApp: "kubernetes", constants.LabelRole: Name}
	meta := metav1.ObjectMeta{Name: Name, Namespace: v.Namespace, Labels: names.WithRole(labels)}
	deployment := pod.Deployment(pod.Spec{
		Name: Name, Namespace: v.Namespace, Image: v.Image, Labels: labels, Component: Name,
		Args: []string{
			"--namespace=" + v.Namespace,
			"--target-kubeconfig=" + access.Kubeconfig(),
			fmt.Sprintf("--bind-address=$(POD_IP):%d", port),
			fmt.Sprintf("--leader-elect=%t", v.Replicas > 1),
		},
		Replicas: v.Replicas, Port: port,
		Ready: pod.Plain(pod.Ready("/readyz", port)), Live: pod.Plain(pod.Live("/healthz", port)),
		Mounts:         []pod.Mount{v.Access},
		ServiceAccount: Name, PriorityClass: constants.PriorityClassNameShootControlPlane300, Restarted: true,
		Reaches: []string{
			constants.LabelNetworkPolicyToDNS, constants.LabelNetworkPolicyToRuntimeAPIServer, names.Reach(names.APIServer, names.APIServerPort),
			constants.LabelNetworkPolicyToPublicNetworks, constants.LabelNetworkPolicyToPrivateNetworks, // API of the infrastructure
		},
	})
	return append(pod.Account(meta, seedRules()), deployment), deployment
}

var (
	read  = []string{"get", "list", "watch"}
	write = []string{"get", "list", "watch", "create", "update", "patch", "delete"}
)

// seedRules include pods and related kinds, since machines of an embedded node are pods beside the control plane.
func seedRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{"machine.sapcloud.io"}, Resources: []string{"*"}, Verbs: write},
		{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps", "pods", "services", "persistentvolumeclaims", "serviceaccounts", "events"}, Verbs: write},
		{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		{APIGroups: []string{"apps"}, Resources: []string{"deployments", "statefulsets"}, Verbs: write},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: write},
		{APIGroups: []string{"extensions.gardener.cloud"}, Resources: []string{"*"}, Verbs: read},
	}
}

// ShootObjects builds the permissions of the user in the shoot.
func ShootObjects() []client.Object {
	meta := metav1.ObjectMeta{Name: "system:machine-controller-manager-runtime"}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes", "nodes/status", "pods", "secrets", "events"}, Verbs: append([]string{"deletecollection"}, write...)},
			{APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Verbs: []string{"create"}},
			{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims", "persistentvolumes", "replicationcontrollers"}, Verbs: read},
			{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
			{APIGroups: []string{"apps"}, Resources: []string{"daemonsets", "replicasets", "statefulsets"}, Verbs: read},
			{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: read},
			{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: read},
			{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"volumeattachments"}, Verbs: read},
			{APIGroups: []string{"certificates.k8s.io"}, Resources: []string{"certificatesigningrequests"}, Verbs: read},
		}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: User}},
		},
	}
}
