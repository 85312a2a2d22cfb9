package networkpolicy

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// matchesPorts reports whether the connection is to one of the ports. No ports mean all.
func matchesPorts(ports []networkingv1.NetworkPolicyPort, c Connection) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(port networkingv1.NetworkPolicyPort) bool {
		protocol := corev1.ProtocolTCP
		if port.Protocol != nil {
			protocol = *port.Protocol
		}
		switch {
		case protocol != c.Protocol:
			return false
		case port.Port == nil:
			return true
		case port.Port.Type == intstr.String:
			return hasPort(c.To.Pod, port.Port.StrVal, c)
		case port.EndPort != nil:
			return port.Port.IntVal <= c.Port && c.Port <= *port.EndPort
		}
		return port.Port.IntVal == c.Port
	})
}

// hasPort reports whether a container of the pod gives the port of the connection that name.
func hasPort(pod *corev1.Pod, name string, c Connection) bool {
	if pod == nil {
		return false
	}
	return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(container corev1.Container) bool {
		return slices.ContainsFunc(container.Ports, func(port corev1.ContainerPort) bool {
			return port.Name == name && port.ContainerPort == c.Port && cmp.Or(port.Protocol, corev1.ProtocolTCP) == c.Protocol
		})
	})
}
