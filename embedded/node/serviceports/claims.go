package serviceports

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// firstReserved and lastReserved are the ports at nodes that belong to kubelets, kube-proxies and the like.
const firstReserved, lastReserved = 10240, 10259

// maxPorts is how many ports a node opens: more than there are node ports. Each costs the kubelet a file and some kilobytes of memory.
const maxPorts = 4096

// port is one at the node's address.
type port struct {
	protocol corev1.Protocol
	number   uint16
}

func (p port) String() string { return fmt.Sprintf("%s port %d", p.protocol, p.number) }

// claim is what a port leads to.
type claim struct {
	service *corev1.Service
	port    corev1.ServicePort
	// balanced means that it is the port of a load balancer, not a node port.
	balanced bool
}

// problem is what a user learns about a Service.
type problem struct {
	service         *corev1.Service
	reason, message string
}

// Reasons of events.
const (
	reasonTaken       = "PortTaken"
	reasonReserved    = "PortReserved"
	reasonForbidden   = "PortForbidden"
	reasonUnsupported = "PortUnsupported"
)

// claims decides which ports are opened for Services. A node port comes before the port of a load balancer with the same number, because
// the API server has given it to one Service only. Otherwise the oldest Service gets the port.
func claims(services []*corev1.Service) (map[port]claim, []problem) {
	services = slices.Clone(services)
	slices.SortFunc(services, func(a, b *corev1.Service) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	d := decision{claims: map[port]claim{}}
	for _, service := range services {
		if len(service.Spec.ExternalIPs) > 0 {
			d.tell(service, reasonUnsupported, "Nothing is served at external addresses (externalIPs): use the type LoadBalancer or NodePort")
		}
		d.nodePorts(service)
	}
	for _, service := range services {
		d.balancers(service)
	}
	return d.claims, d.problems
}

type decision struct {
	claims   map[port]claim
	problems []problem
}

func (d *decision) nodePorts(service *corev1.Service) {
	if service.Spec.Type != corev1.ServiceTypeNodePort && service.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return
	}
	if number := service.Spec.HealthCheckNodePort; number != 0 {
		d.tell(service, reasonUnsupported, "The port %d for health checks (healthCheckNodePort) is not served", number)
	}
	for _, servicePort := range service.Spec.Ports {
		if servicePort.NodePort != 0 {
			d.take(servicePort.NodePort, claim{service: service, port: servicePort})
		}
	}
}

func (d *decision) balancers(service *corev1.Service) {
	if !isBalancer(service) {
		return
	}
	for _, servicePort := range service.Spec.Ports {
		d.take(servicePort.Port, claim{service: service, port: servicePort, balanced: true})
	}
}

// isBalancer reports whether the landscape gives the Service an address. Other classes are others' business.
func isBalancer(service *corev1.Service) bool {
	return service.Spec.Type == corev1.ServiceTypeLoadBalancer && service.Spec.LoadBalancerClass == nil
}

func (d *decision) take(number int32, c claim) {
	wanted := port{cmp.Or(c.port.Protocol, corev1.ProtocolTCP), uint16(number)}
	if wanted.protocol != corev1.ProtocolTCP && wanted.protocol != corev1.ProtocolUDP {
		d.tell(c.service, reasonUnsupported, "The %s is not served: only TCP and UDP are", wanted)
		return
	}
	if number >= firstReserved && number <= lastReserved {
		d.tell(c.service, reasonReserved, "The %s is not served, because ports from %d to %d belong to the nodes: choose another one", wanted, firstReserved, lastReserved)
		return
	}
	owner, taken := d.claims[wanted]
	if taken && owner.service.UID == c.service.UID && owner.port == c.port {
		return // the node port is the port of the load balancer, too
	}
	if taken {
		d.tell(c.service, reasonTaken, "The %s at the addresses of nodes belongs to Service %s/%s: choose another one", wanted, owner.service.Namespace, owner.service.Name)
		return
	}
	if len(d.claims) >= maxPorts {
		d.tell(c.service, reasonTaken, "The %s is not served, because nodes open %d ports at most: remove Services", wanted, maxPorts)
		return
	}
	d.claims[wanted] = c
}

func (d *decision) tell(service *corev1.Service, reason, format string, args ...any) {
	d.problems = append(d.problems, problem{service, reason, fmt.Sprintf(format, args...)})
}
