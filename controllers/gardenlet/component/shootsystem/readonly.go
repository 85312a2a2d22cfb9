package shootsystem

import (
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Names of the roles of viewers. The second one is that of Kubernetes, in which custom resources say who may view them. It does not know what
// is encrypted apart from Secrets.
const (
	roleReadOnly = "gardener.cloud:system:read-only"
	roleView     = "view"
)

// readable are the resources of Kubernetes by group. Secrets are never readable.
var readable = map[string][]string{
	"": {
		"componentstatuses", "configmaps", "endpoints", "events", "limitranges", "namespaces", "nodes", "persistentvolumeclaims", "persistentvolumes",
		"pods", "podtemplates", "replicationcontrollers", "resourcequotas", "serviceaccounts", "services",
	},
	"admissionregistration.k8s.io": {
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "mutatingwebhookconfigurations", "validatingadmissionpolicies",
		"validatingadmissionpolicybindings", "validatingwebhookconfigurations",
	},
	"apiextensions.k8s.io":         {"customresourcedefinitions"},
	"apiregistration.k8s.io":       {"apiservices"},
	"apps":                         {"controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"},
	"autoscaling":                  {"horizontalpodautoscalers"},
	"batch":                        {"cronjobs", "jobs"},
	"certificates.k8s.io":          {"certificatesigningrequests", "clustertrustbundles"},
	"coordination.k8s.io":          {"leases"},
	"discovery.k8s.io":             {"endpointslices"},
	"events.k8s.io":                {"events"},
	"flowcontrol.apiserver.k8s.io": {"flowschemas", "prioritylevelconfigurations"},
	"metrics.k8s.io":               {"nodes", "pods"},
	"networking.k8s.io":            {"ingressclasses", "ingresses", "ipaddresses", "networkpolicies", "servicecidrs"},
	"node.k8s.io":                  {"runtimeclasses"},
	"policy":                       {"poddisruptionbudgets"},
	"rbac.authorization.k8s.io":    {"clusterrolebindings", "clusterroles", "rolebindings", "roles"},
	"resource.k8s.io":              {"deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"},
	"scheduling.k8s.io":            {"priorityclasses"},
	"storage.k8s.io":               {"csidrivers", "csinodes", "csistoragecapacities", "storageclasses", "volumeattachments", "volumeattributesclasses"},
}

// readOnly builds what viewers of the shoot may do: read everything but what etcd stores encrypted.
func readOnly(encrypted []string) []client.Object {
	verbs := []string{"get", "list", "watch"}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: roleReadOnly}}
	for _, group := range slices.Sorted(maps.Keys(readable)) {
		var resources []string
		for _, resource := range readable[group] {
			if isEncrypted(encrypted, group, resource) {
				continue
			}
			resources = append(resources, resource, resource+"/status")
			if group == "" && resource == "pods" {
				resources = append(resources, "pods/log")
			}
		}
		if len(resources) > 0 {
			role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs})
		}
	}
	out := []client.Object{role}
	for _, group := range []string{constants.ShootGroupProjectViewers, constants.ShootGroupSystemViewers} {
		subject := rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}
		out = append(out, binding(group+":"+roleReadOnly, roleReadOnly, subject))
		if !slices.ContainsFunc(encrypted, func(resource string) bool { return resource != "secrets" }) {
			out = append(out, binding(group, roleView, subject))
		}
	}
	return out
}

// isEncrypted reports whether a list of resources, as in the configuration of encryption, has this one: "configmaps", "deployments.apps", or
// with a wildcard "*.apps", "*." and "*.*".
func isEncrypted(encrypted []string, group, resource string) bool {
	return slices.ContainsFunc(encrypted, func(name string) bool {
		listed, of, _ := strings.Cut(name, ".")
		return (listed == resource || listed == "*") && (of == group || of == "*")
	})
}
