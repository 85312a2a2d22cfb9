package names

import (
	"fmt"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Labels of pods that network policies let out, besides those in constants.
const (
	// ReachShoot permits connections to nodes, pods and services of the own shoot.
	ReachShoot = "networking.gardener.cloud/to-shoot-networks"
	// ReachWebhooks permits connections to Services with webhooks for shoots, which say so themselves.
	ReachWebhooks = constants.LabelNetworkPolicyServicePrefix + "all-webhook-targets"
)

// Annotations of Services that open their pods to more than labels of their own namespace.
const (
	annotationWorld       = "networking.resources.gardener.cloud/from-world-to-ports"
	annotationShared      = "networking.resources.gardener.cloud/from-%s-allowed-ports"
	usualAPIServerTargets = "kube-apiserver-tcp-443"
)

// Reach is the label that permits connections to a TCP port of the pods of a Service.
func Reach(service string, targetPort int32) string {
	return fmt.Sprintf("%s%s-tcp-%d", constants.LabelNetworkPolicyServicePrefix, service, targetPort)
}

// Allowed returns the labels with their value.
func Allowed(labels ...string) map[string]string {
	out := map[string]string{}
	for _, label := range labels {
		out[label] = constants.LabelNetworkPolicyAllowed
	}
	return out
}

// FromWorld returns the annotation of a Service whose pods anybody may reach at a TCP port: what asks who is there, and is
// called by nodes, whose addresses no label selects.
func FromWorld(targetPort int32) map[string]string {
	return map[string]string{annotationWorld: ports(targetPort)}
}

// FromShootAPIServer returns the annotation of a Service whose pods the API server of a shoot may reach at a TCP port: its pods
// carry ReachWebhooks.
func FromShootAPIServer(targetPort int32) map[string]string {
	return map[string]string{fmt.Sprintf(annotationShared, "all-webhook-targets"): ports(targetPort)}
}

// APIServerReach returns the annotations of the Service of a shoot's API server. The front door calls it from the network of
// a node. Pods of extensions carry the label for port 443, where the pods of others listen.
func APIServerReach() map[string]string {
	out := FromWorld(APIServerPort)
	out[fmt.Sprintf(annotationShared, usualAPIServerTargets)] = ports(APIServerPort)
	return out
}

func ports(port int32) string { return fmt.Sprintf(`[{"protocol":"TCP","port":%d}]`, port) }
