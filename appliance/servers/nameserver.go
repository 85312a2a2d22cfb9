package servers

import (
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/dns"
)

// NameServer answers for the domains of the landscape, from the zone, and for the Services of a cluster; nil means none.
func NameServer(in Inputs, cluster *rest.Config, zone *dns.Zone) *dns.Server {
	return dns.New(dns.Config{
		Name: DNS, Address: in.Ports.Local(DNS), Client: cluster, Zone: zone,
		Domains: []string{in.Domains.Internal, in.Domains.External}, Log: in.Log.WithName(DNS),
	})
}

// ClusterNameServer answers for the Services of the embedded seed and asks the landscape's name server, at host:port, for all
// other names.
func ClusterNameServer(in Inputs, landscape string) *dns.Server {
	return dns.New(dns.Config{
		Name: DNS, Address: in.Ports.Local(DNS), Client: in.SeedClient(), Upstreams: []string{landscape}, Log: in.Log.WithName(DNS),
	})
}
