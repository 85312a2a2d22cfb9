package names

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Labels by which network policies allow connections of pods, in addition to those in constants.
const (
	// ReachShoot allows connections to nodes, pods and services of the pod's own shoot.
	ReachShoot = "networking.gardener.cloud/to-shoot-networks"
	// ReachWebhooks allows connections to Services that declare webhooks for shoots.
	ReachWebhooks = constants.LabelNetworkPolicyServicePrefix + "all-webhook-targets"
)

// Annotations of Services that allow connections from outside of their own namespace.
const (
	annotationNamespaces  = "networking.resources.gardener.cloud/namespace-selectors"
	annotationWorld       = "networking.resources.gardener.cloud/from-world-to-ports"
	annotationShared      = "networking.resources.gardener.cloud/from-%s-allowed-ports"
	usualAPIServerTargets = "kube-apiserver-tcp-443"
)

// Reach returns the label that allows connections to a TCP port of the pods of a Service.
func Reach(service string, targetPort int32) string {
	return fmt.Sprintf("%s%s-tcp-%d", constants.LabelNetworkPolicyServicePrefix, service, targetPort)
}

// Allowed returns the labels with the value that network policies expect.
func Allowed(labels ...string) map[string]string {
	out := map[string]string{}
	for _, label := range labels {
		out[label] = constants.LabelNetworkPolicyAllowed
	}
	return out
}

// FromWorld returns the annotation of a Service that allows connections from anywhere to TCP ports of its pods. It is
// for servers that authenticate clients themselves and are called by nodes, whose addresses no label selects.
func FromWorld(targetPorts ...int32) map[string]string {
	return map[string]string{annotationWorld: ports(targetPorts...)}
}

// FromNamespaces returns the annotation of a Service that allows connections from namespaces with these labels, to all ports of its pods. There, pods
// have the label Reach for the name <namespace of the Service>-<Service>.
func FromNamespaces(labels map[string]string) map[string]string {
	selectors, err := json.Marshal([]metav1.LabelSelector{{MatchLabels: labels}})
	if err != nil {
		panic(fmt.Sprintf("encode selector of namespaces: %v", err)) // a map of strings can be encoded
	}
	return map[string]string{annotationNamespaces: string(selectors)}
}

// FromShootAPIServer returns the annotation of a Service that allows connections from the API server of a shoot to a
// TCP port of its pods. The pods of the API server carry ReachWebhooks.
func FromShootAPIServer(targetPort int32) map[string]string {
	return map[string]string{fmt.Sprintf(annotationShared, "all-webhook-targets"): ports(targetPort)}
}

// APIServerReach returns the annotations of the Service of the API server of a shoot. The front door connects from the
// network of a node. Pods of extensions carry the label for port 443, although the pods listen on another port.
func APIServerReach() map[string]string {
	out := FromWorld(APIServerPort)
	out[fmt.Sprintf(annotationShared, usualAPIServerTargets)] = ports(APIServerPort)
	return out
}

func ports(numbers ...int32) string {
	var list []string
	for _, number := range numbers {
		list = append(list, fmt.Sprintf(`{"protocol":"TCP","port":%d}`, number))
	}
	return "[" + strings.Join(list, ",") + "]"
}
