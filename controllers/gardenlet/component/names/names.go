// Package names holds names that the components of a control plane share: Services, ports and label sets. Single
// labels, annotations and object names are in embedded/apis/core/v1beta1/constants.
package names

import (
	"fmt"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// ClusterDomain is the domain of Services inside every cluster.
const ClusterDomain = "cluster.local"

// APIServer is the name of the Deployment and of the Service of the kube-apiserver of a shoot.
const APIServer = constants.DeploymentNameKubeAPIServer

// APIServerPort is a port of that Service above 1024, with the same target as 443: any user may bind it.
const APIServerPort = 6443

// APIServerURL is the URL of the kube-apiserver of a shoot for pods in the seed and for the gardenlet.
func APIServerURL(namespace string) string { return ServiceURL(APIServer, namespace) }

// ServiceURL is the URL of a kube-apiserver by the name of its Service.
func ServiceURL(service, namespace string) string {
	return fmt.Sprintf("https://%s.%s.svc:%d", service, namespace, APIServerPort)
}

// Machines is the name of the Service that has the addresses of a shoot's machines, if they are pods of the seed.
const Machines = "machines"

// KubeletPort is the port of kubelets.
const KubeletPort = 10250

// MachinesHost is the name of the Service Machines.
func MachinesHost(namespace string) string { return Machines + "." + namespace + ".svc" }

// ControlPlane returns the labels of a Kubernetes component of a control plane.
func ControlPlane(role string) map[string]string {
	return map[string]string{constants.LabelApp: constants.LabelKubernetes, constants.LabelRole: role}
}

// WithRole returns the labels plus the role label of control plane components.
func WithRole(labels map[string]string) map[string]string {
	out := map[string]string{constants.GardenRole: constants.GardenRoleControlPlane}
	for key, value := range labels {
		out[key] = value
	}
	return out
}

// Mutated is the label of objects that the webhook of a provider may change. The provider's webhook selects them by it.
func Mutated() map[string]string {
	return map[string]string{constants.LabelExtensionProviderMutatedByControlplaneWebhook: "true"}
}

// ServiceNames are the DNS names of a Service in the seed, the short ones first.
func ServiceNames(service, namespace string) []string {
	full := service + "." + namespace
	return []string{service, full, full + ".svc", full + ".svc." + ClusterDomain}
}

// Minor returns major and minor version of a version such as 1.36.3, without a leading v.
func Minor(version string) string {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}

// GitVersion returns a version such as 1.36.3 as servers of Kubernetes tell it, with a leading v.
func GitVersion(version string) string { return "v" + strings.TrimPrefix(version, "v") }
