package servers

import (
	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// NameServer answers for the domains of the landscape, from the zone, and for the Services of a cluster; nil means none.
func NameServer(ports state.Ports, domains []string, cluster *rest.Config, zone *dns.Zone, log logr.Logger) *dns.Server {
	return dns.New(dns.Config{
		Name: DNS, Address: ports.Local(DNS), Client: cluster, Zone: zone, Domains: domains, Log: log.WithName(DNS),
	})
}

// ClusterNameServer answers for the Services of the embedded seed and asks the landscape's name server, at host:port, for all
// other names.
func ClusterNameServer(a Access, landscape string, log logr.Logger) *dns.Server {
	return dns.New(dns.Config{
		Name: DNS, Address: a.Ports.Local(DNS), Client: a.SeedClient(), Upstreams: []string{landscape}, Log: log.WithName(DNS),
	})
}
