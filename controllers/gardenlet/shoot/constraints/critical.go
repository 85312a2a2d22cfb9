package constraints

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// critical is a resource that nodes or system components need to write.
type critical struct {
	group, resource string
	// namespace has the labels by which a webhook may select it; nil for resources without a namespace.
	namespace labels.Set
	// object are the labels of the objects.
	object labels.Set
	// lease means that clients give up sooner than for other resources.
	lease bool
}

const nameLabel = "kubernetes.io/metadata.name"

var (
	kubeSystem = labels.Set{nameLabel: metav1.NamespaceSystem, constants.GardenerPurpose: constants.PurposeKubeSystem, constants.ShootNoCleanup: "true"}
	common     = labels.Set{nameLabel: metav1.NamespaceDefault}
	nodeLeases = labels.Set{nameLabel: "kube-node-lease"}
	gardeners  = labels.Set{"origin": "gardener"}
)

// resources are all critical ones, subresources after a slash.
var resources = slices.Concat(
	in(kubeSystem, gardeners, "", "pods", "pods/status"),
	in(kubeSystem, nil, "", "configmaps", "endpoints", "secrets", "serviceaccounts", "services", "services/status"),
	in(kubeSystem, nil, "apps", "controllerrevisions", "daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/status", "replicasets/scale"),
	in(kubeSystem, nil, "networking.k8s.io", "networkpolicies"),
	in(kubeSystem, nil, "rbac.authorization.k8s.io", "roles", "rolebindings"),
	in(common, nil, "", "endpoints", "services"),
	[]critical{
		{group: "coordination.k8s.io", resource: "leases", namespace: kubeSystem, lease: true},
		{group: "coordination.k8s.io", resource: "leases", namespace: nodeLeases},
		{group: "coordination.k8s.io", resource: "leases", namespace: common},
		{resource: "namespaces", object: kubeSystem},
	},
	in(nil, nil, "", "nodes", "nodes/status"),
	in(nil, nil, "rbac.authorization.k8s.io", "clusterroles", "clusterrolebindings"),
	in(nil, nil, "apiextensions.k8s.io", "customresourcedefinitions", "customresourcedefinitions/status"),
	in(nil, nil, "apiregistration.k8s.io", "apiservices", "apiservices/status"),
	in(nil, nil, "certificates.k8s.io", "certificatesigningrequests", "certificatesigningrequests/status", "certificatesigningrequests/approval"),
	in(nil, nil, "scheduling.k8s.io", "priorityclasses"),
)

func in(namespace, object labels.Set, group string, names ...string) (out []critical) {
	for _, name := range names {
		out = append(out, critical{group: group, resource: name, namespace: namespace, object: object})
	}
	return out
}

// matches reports whether a webhook with the rule and the selectors is called for the resource.
func (c critical) matches(rule admissionregistrationv1.Rule, namespaces, objects *metav1.LabelSelector) bool {
	if !hasAny(rule.APIGroups, c.group) || !slices.ContainsFunc(rule.Resources, c.named) || !c.inScope(rule.Scope) {
		return false
	}
	selected := selects(objects, c.object)
	switch {
	case c.namespace != nil:
		return selected && selects(namespaces, c.namespace)
	case c.resource == "namespaces": // a namespace is selected by its own labels
		return selected && selects(namespaces, c.object)
	}
	return selected
}

func (c critical) inScope(scope *admissionregistrationv1.ScopeType) bool {
	switch {
	case scope == nil, *scope == admissionregistrationv1.AllScopes:
		return true
	case c.namespace != nil:
		return *scope == admissionregistrationv1.NamespacedScope
	}
	return *scope == admissionregistrationv1.ClusterScope
}

// named reports whether a resource in a rule, which may contain wildcards, means the resource.
func (c critical) named(pattern string) bool {
	resource, sub, _ := strings.Cut(c.resource, "/")
	wanted, wantedSub, hasSub := strings.Cut(pattern, "/")
	if !hasSub {
		return sub == "" && (wanted == "*" || wanted == resource)
	}
	return (wanted == "*" || wanted == resource) && (wantedSub == "*" || wantedSub == sub)
}

func hasAny(list []string, wanted string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, wanted)
}

// selects treats a selector that nobody can read as one that selects all.
func selects(selector *metav1.LabelSelector, set labels.Set) bool {
	if selector == nil {
		return true
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err != nil || parsed.Matches(set)
}
