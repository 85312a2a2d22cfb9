package dns

import (
	"net"
	"slices"
	"strings"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
)

// clusterTTL in seconds. It is short because addresses of pods change with every restart.
const clusterTTL = 5

// cluster answers <service>.<namespace>.svc, <pod>.<service>.<namespace>.svc and _<port>._<protocol>.<service>.<namespace>.svc, with and
// without the cluster domain.
type cluster struct {
	domain  string           // canonical
	catalog *catalog.Catalog // nil: the names belong to the cluster, but none exists
}

// lookup returns the zero answer for names outside of the cluster.
func (c cluster) lookup(name string, qtype uint16) answer {
	rest, own := strings.TrimSuffix(name, "."), ""
	switch {
	case dns.IsSubDomain(c.domain, name):
		own = c.domain
		rest = strings.TrimSuffix(strings.TrimSuffix(name, c.domain), ".")
	case dns.IsSubDomain("svc.", name):
		own = "svc."
	default:
		return answer{}
	}
	if c.catalog != nil && !c.catalog.Synced() {
		return answer{own: own, unknown: true}
	}
	found := answer{own: own}
	labels := strings.Split(rest, ".")
	slices.Reverse(labels)
	if rest == "" || (len(labels) == 1 && labels[0] == "svc") {
		found.exists = true // the apexes themselves
		return found
	}
	if labels[0] != "svc" || c.catalog == nil {
		return found
	}
	switch len(labels) {
	case 3:
		found.records, found.exists = c.service(labels[1], labels[2], qtype)
	case 4:
		found.records, found.exists = c.pod(labels[1], labels[2], labels[3], qtype)
	case 5:
		found.records, found.exists = c.port(labels[1], labels[2], labels[3], labels[4], qtype)
	}
	return found
}

func (c cluster) service(namespace, name string, qtype uint16) (records []dns.RR, exists bool) {
	service := c.catalog.Service(namespace, name)
	if service == nil {
		return nil, false
	}
	switch {
	case service.Spec.Type == corev1.ServiceTypeExternalName:
		return []dns.RR{&dns.CNAME{Hdr: header(dns.TypeCNAME, clusterTTL), Target: dns.Fqdn(service.Spec.ExternalName)}}, true
	case service.Spec.ClusterIP != corev1.ClusterIPNone:
		return addresses(service.Spec.ClusterIPs, qtype), true
	}
	var ips []string
	for _, pod := range c.catalog.Pods(service) {
		ips = append(ips, pod.Status.PodIP)
	}
	if len(service.Spec.Selector) == 0 {
		for _, port := range service.Spec.Ports {
			for _, endpoint := range c.catalog.Endpoints(service, port) {
				if host, _, err := net.SplitHostPort(endpoint); err == nil && !slices.Contains(ips, host) {
					ips = append(ips, host)
				}
			}
		}
	}
	return addresses(ips, qtype), len(ips) > 0
}

// pod answers the name that a pod of a headless Service has through its hostname and subdomain, or else through its address.
func (c cluster) pod(namespace, serviceName, name string, qtype uint16) (records []dns.RR, exists bool) {
	service := c.catalog.Service(namespace, serviceName)
	if service == nil || service.Spec.ClusterIP != corev1.ClusterIPNone {
		return nil, false
	}
	for _, pod := range c.catalog.Pods(service) {
		if label(pod, serviceName) == name {
			return addresses([]string{pod.Status.PodIP}, qtype), true
		}
	}
	return nil, false
}

// addresses returns the addresses in ips that match the type.
func addresses(ips []string, qtype uint16) []dns.RR {
	var records []dns.RR
	for _, text := range ips {
		ip := net.ParseIP(text)
		switch v4 := ip.To4(); {
		case v4 != nil && (qtype == dns.TypeA || qtype == dns.TypeANY):
			records = append(records, &dns.A{Hdr: header(dns.TypeA, clusterTTL), A: v4})
		case ip != nil && v4 == nil && (qtype == dns.TypeAAAA || qtype == dns.TypeANY):
			records = append(records, &dns.AAAA{Hdr: header(dns.TypeAAAA, clusterTTL), AAAA: ip})
		}
	}
	return records
}
