package catalog

import (
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/cache"
)

// Endpoints returns the sorted addresses host:port behind a port of a Service. They are those of the ready pods that the
// selector matches, or those of the EndpointSlices of a Service without selector.
func (c *Catalog) Endpoints(service *corev1.Service, port corev1.ServicePort) []string {
	var addresses []string
	if len(service.Spec.Selector) == 0 {
		addresses = c.sliced(service, port)
	} else {
		for _, pod := range c.Pods(service) {
			if number, ok := TargetPort(pod, port); ok {
				addresses = append(addresses, net.JoinHostPort(pod.Status.PodIP, strconv.Itoa(number)))
			}
		}
	}
	slices.Sort(addresses)
	return slices.Compact(addresses)
}

// Pods returns the pods with an address that a Service selects. They are ready, unless the Service publishes pods that
// are not.
func (c *Catalog) Pods(service *corev1.Service) []*corev1.Pod {
	if len(service.Spec.Selector) == 0 {
		return nil
	}
	var pods []*corev1.Pod
	selector := labels.SelectorFromSet(service.Spec.Selector)
	_ = cache.ListAllByNamespace(c.pods.GetIndexer(), service.Namespace, selector, func(obj any) {
		if pod := obj.(*corev1.Pod); serves(pod, service.Spec.PublishNotReadyAddresses) {
			pods = append(pods, pod)
		}
	})
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

func serves(pod *corev1.Pod, evenNotReady bool) bool {
	if pod.Status.PodIP == "" || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return false
	}
	if evenNotReady {
		return true
	}
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// TargetPort returns the number that a port of a Service has at a pod, and whether the pod has the port.
func TargetPort(pod *corev1.Pod, port corev1.ServicePort) (int, bool) {
	switch {
	case port.TargetPort.Type == intstr.Int && port.TargetPort.IntVal != 0:
		return int(port.TargetPort.IntVal), true
	case port.TargetPort.Type == intstr.Int:
		return int(port.Port), true
	}
	for _, container := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		for _, p := range container.Ports {
			if p.Name == port.TargetPort.StrVal && protocol(p.Protocol) == protocol(port.Protocol) {
				return int(p.ContainerPort), true
			}
		}
	}
	return 0, false
}

func (c *Catalog) sliced(service *corev1.Service, port corev1.ServicePort) []string {
	objs, _ := c.slices.GetIndexer().ByIndex(bySlicedService, service.Namespace+"/"+service.Name)
	var addresses []string
	for _, obj := range objs {
		slice := obj.(*discoveryv1.EndpointSlice)
		for _, p := range slice.Ports {
			if p.Port == nil || (p.Name != nil && *p.Name != port.Name) || (p.Protocol != nil && *p.Protocol != protocol(port.Protocol)) {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready != nil && !*endpoint.Conditions.Ready {
					continue
				}
				for _, address := range endpoint.Addresses {
					addresses = append(addresses, net.JoinHostPort(address, strconv.Itoa(int(*p.Port))))
				}
			}
		}
	}
	return addresses
}

func protocol(p corev1.Protocol) corev1.Protocol {
	if p == "" {
		return corev1.ProtocolTCP
	}
	return p
}
