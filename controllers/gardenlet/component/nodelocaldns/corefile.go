package nodelocaldns

import (
	"fmt"
	"strings"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
)

// Placeholders that the cache replaces itself: the address of its upstream Service, and the name servers of the node.
const (
	pillarClusterDNS = "__PILLAR__CLUSTER__DNS__"
	pillarUpstream   = "__PILLAR__UPSTREAM__SERVERS__"
)

// addresses are those that the cache listens on.
func (v Values) addresses() []string {
	if v.IPVS {
		return []string{Address}
	}
	return []string{Address, v.ClusterDNS}
}

// clusterDNS is the address of CoreDNS for the cache.
func (v Values) clusterDNS() string {
	if v.IPVS {
		return v.ClusterDNS
	}
	return pillarClusterDNS
}

// corefile has a zone for names of the cluster, one for reverse names of either family, and one for all others.
func (v Values) corefile() string {
	const health = "    health " + Address + ":8099\n"
	own := "    cache {\n        success 9984 30\n        denial 9984 5\n    }\n"
	others, way := pillarUpstream, protocol(v.ForceTCPToUpstreamDNS)
	if v.DisableForwardToUpstreamDNS {
		others, way = v.clusterDNS(), protocol(v.ForceTCPToClusterDNS)
	}
	var out strings.Builder
	out.WriteString(v.zone(names.ClusterDomain, own, v.clusterDNS(), protocol(v.ForceTCPToClusterDNS), health))
	for _, reverse := range []string{"in-addr.arpa", "ip6.arpa"} {
		out.WriteString(v.zone(reverse, "    cache 30\n", v.clusterDNS(), protocol(v.ForceTCPToClusterDNS), ""))
	}
	out.WriteString(v.zone(".", "    cache 30\n", others, way, ""))
	return out.String()
}

func (v Values) zone(name, cache, forward, protocol, health string) string {
	return fmt.Sprintf(`%s:%d {
    errors
%s    reload
    loop
    bind %s
    forward . %s {
        %s
    }
    prometheus :%d
%s}
`, name, portDNS, cache, strings.Join(v.addresses(), " "), forward, protocol, portMetrics, health)
}

func protocol(forceTCP bool) string {
	if forceTCP {
		return "force_tcp"
	}
	return "prefer_udp"
}
