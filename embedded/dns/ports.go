package dns

import (
	"strings"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
)

// srvWeight is the weight of all records of type SRV: there is no difference between servers.
const srvWeight = 100

// port answers _<port>._<protocol>.<service>.<namespace>.svc: the number of the port at the Service or, if that is headless, at each pod.
func (c cluster) port(namespace, serviceName, protocol, name string, qtype uint16) (records []dns.RR, exists bool) {
	service := c.catalog.Service(namespace, serviceName)
	if service == nil || service.Spec.Type == corev1.ServiceTypeExternalName {
		return nil, false
	}
	host := serviceName + "." + namespace + ".svc." + c.domain
	for _, port := range service.Spec.Ports {
		if "_"+port.Name != name || "_"+strings.ToLower(string(port.Protocol)) != protocol {
			continue
		}
		if service.Spec.ClusterIP != corev1.ClusterIPNone {
			return ofType(qtype, srv(host, int(port.Port))), true
		}
		for _, pod := range c.catalog.Pods(service) {
			if number, ok := catalog.TargetPort(pod, port); ok {
				records = append(records, srv(label(pod, serviceName)+"."+host, number))
			}
		}
		return ofType(qtype, records...), len(records) > 0
	}
	return nil, false
}

// label is the name of a pod in a headless Service: its host name if it names the Service, else its address with dashes.
func label(pod *corev1.Pod, service string) string {
	if pod.Spec.Hostname != "" && pod.Spec.Subdomain == service {
		return pod.Spec.Hostname
	}
	return strings.NewReplacer(".", "-", ":", "-").Replace(pod.Status.PodIP)
}

func srv(target string, port int) dns.RR {
	return &dns.SRV{Hdr: header(dns.TypeSRV, clusterTTL), Weight: srvWeight, Port: uint16(port), Target: target}
}

// ofType returns the records if a question of the type asks for SRV.
func ofType(qtype uint16, records ...dns.RR) []dns.RR {
	if qtype == dns.TypeSRV || qtype == dns.TypeANY {
		return records
	}
	return nil
}
