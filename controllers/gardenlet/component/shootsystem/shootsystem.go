// Package shootsystem builds the base objects of every shoot: labelled namespaces, its identity, information about the
// shoot, priority classes, and the permissions of users, nodes and control plane. The resource manager of the shoot
// applies them.
package shootsystem

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Names of ManagedResources.
const (
	ResourceNamespaces    = "shoot-core-namespaces"
	ResourceAPIServer     = "shoot-core-kube-apiserver"
	ResourceAccess        = "shoot-core-gardeneraccess"
	ResourceIdentity      = "shoot-core-cluster-identity"
	ResourceSystem        = "shoot-core-system"
	ResourceMachines      = "shoot-core-machine-controller-manager"
	ResourceNodeAgent     = "shoot-gardener-node-agent"
	kubeletClientOfServer = "system:kube-apiserver:kubelet"
)

// Namespaces builds labels and annotations of kube-system. zones are those of the worker pools, over which its
// workloads are spread.
func Namespaces(zones []string) []client.Object {
	return []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: metav1.NamespaceSystem,
		Labels: map[string]string{
			constants.GardenerPurpose: constants.PurposeKubeSystem, constants.ShootNoCleanup: "true",
			resourcesv1alpha1.HighAvailabilityConfigConsider: "true",
		},
		Annotations: map[string]string{resourcesv1alpha1.HighAvailabilityConfigZones: strings.Join(zones, ",")},
	}}}
}

// APIServer builds the permissions of kube-apiserver on kubelets, and those that kubelets need to get their first
// certificate.
func APIServer() []client.Object {
	const bootstrappers, nodes = "system:bootstrappers", "system:nodes"
	group := func(name string) rbacv1.Subject {
		return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: name}
	}
	return []client.Object{
		binding("system:apiserver:kubelet", "system:kubelet-api-admin", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: kubeletClientOfServer}),
		binding("system:node-bootstrapper", "system:node-bootstrapper", group(bootstrappers)),
		binding("system:certificates.k8s.io:certificatesigningrequests:nodeclient", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", group(bootstrappers)),
		binding("system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", group(nodes)),
	}
}

// PodNetwork builds the permissions that nodes need to connect the sandboxes of their pods with Services and pods of other nodes, and to
// enforce NetworkPolicies. On other nodes, DaemonSets of the network have the like. It is for nodes in the seed.
func PodNetwork() []client.Object {
	const name = "gardener.cloud:system:pod-network"
	read := []string{"get", "list", "watch"}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"namespaces", "pods", "services"}, Verbs: read},
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}, // to try their networks
			{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: read},
			{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"networkpolicies"}, Verbs: read},
		}},
		binding(name, name, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:nodes"}),
	}
}

// GardenerAccess builds the permissions of the service account gardener in kube-system, for extensions that use its
// token.
func GardenerAccess() []client.Object {
	return []client.Object{
		binding("gardener.cloud:system:gardener", "cluster-admin", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceSystem, Name: constants.GardenerName}),
	}
}

// Identity builds the config map with the identity of the cluster.
func Identity(identity string) []client.Object {
	return []client.Object{&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: constants.ClusterIdentity, Namespace: metav1.NamespaceSystem},
		Immutable:  ptr.To(true),
		Data:       map[string]string{constants.ClusterIdentity: identity, constants.ClusterIdentityOrigin: constants.ClusterIdentityOriginShoot},
	}}
}

// Info is the content of the config map shoot-info.
type Info struct {
	Project, Name, Provider, Region, KubernetesVersion string
	PodNetwork, ServiceNetwork, NodeNetwork            string
	MaintenanceBegin, MaintenanceEnd, Domain           string
	Extensions                                         []string
	// Encrypted are the resources that etcd stores encrypted, which viewers may not read.
	Encrypted []string
}

// System builds the config map shoot-info, priority classes and the permissions of user groups.
func System(info Info) []client.Object {
	out := []client.Object{info.configMap()}
	for name, value := range map[string]int32{
		constants.PriorityClassNameShootSystem900: 999999900, constants.PriorityClassNameShootSystem800: 999999800,
		constants.PriorityClassNameShootSystem700: 999999700, constants.PriorityClassNameShootSystem600: 999999600,
	} {
		out = append(out, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value})
	}
	slices.SortFunc(out[1:], func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	for group, role := range map[string]string{
		constants.ShootGroupSystemAdmins: "cluster-admin", constants.ShootGroupProjectAdmins: "cluster-admin",
	} {
		out = append(out, binding(group, role, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}))
	}
	slices.SortFunc(out[5:], func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	return append(out, readOnly(info.Encrypted)...)
}

func (i Info) configMap() *corev1.ConfigMap {
	data := map[string]string{
		"extensions":        strings.Join(i.Extensions, ","),
		"projectName":       i.Project,
		"shootName":         i.Name,
		"provider":          i.Provider,
		"region":            i.Region,
		"kubernetesVersion": i.KubernetesVersion,
		"podNetwork":        i.PodNetwork,
		"serviceNetwork":    i.ServiceNetwork,
		"nodeNetwork":       i.NodeNetwork,
		"maintenanceBegin":  i.MaintenanceBegin,
		"maintenanceEnd":    i.MaintenanceEnd,
		"domain":            i.Domain,
	}
	maps.DeleteFunc(data, func(key, value string) bool { return value == "" && key != "extensions" })
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: constants.ConfigMapNameShootInfo, Namespace: metav1.NamespaceSystem}, Data: data}
}

func binding(name, role string, subjects ...rbacv1.Subject) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   subjects,
	}
}
