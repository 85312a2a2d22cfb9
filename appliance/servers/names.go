package servers

import (
	"net"
	"net/netip"
	"strconv"

	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// GardenHostname is the DNS name of the garden's API server at the front door, in the domain of the garden.
func GardenHostname(domain string) string { return "api." + domain }

// DiscoveryHostname is the DNS name at the front door that serves only the documents by which systems outside verify the garden's
// tokens.
func DiscoveryHostname(domain string) string { return "discovery." + domain }

// MetricsHostname is the DNS name at the front door that serves the metrics of the landscape.
func MetricsHostname(domain string) string { return "metrics." + domain }

const metricsPath = "/metrics"

// Door is the front door of this process: where users connect to, and the names of the garden there.
type Door struct {
	IP     string
	Ports  state.Ports
	Domain string       // of the garden
	Names  *GardenNames // those that the Garden adds; nil in a process without the garden
}

// MetricsURL is where metrics are read. It is an address of this machine if the front door is one, since the name of the front door does
// not resolve there.
func (d Door) MetricsURL() string {
	if address, err := netip.ParseAddr(d.IP); err == nil && address.IsLoopback() {
		return d.Ports.URL(Metrics) + metricsPath
	}
	return "https://" + net.JoinHostPort(MetricsHostname(d.Domain), strconv.Itoa(int(d.Ports[FrontDoor]))) + metricsPath
}

// GardenRoutes are the names at the front door that belong to the garden.
func (d Door) GardenRoutes() map[string]string {
	return map[string]string{
		GardenHostname(d.Domain):    d.Ports.Local(GardenAPIServer),
		DiscoveryHostname(d.Domain): d.Ports.Local(GardenerAPIServer),
		MetricsHostname(d.Domain):   d.Ports.Local(Metrics),
	}
}

// Address is host:port of the front door.
func (d Door) Address() string { return d.HandlerAddress(d.IP) }

// HandlerFrontDoor is the name of the front door of a handler of exposure classes.
func HandlerFrontDoor(handler string) string { return FrontDoor + "-" + handler }

// HandlerAddress is host:port of the front door of a handler with the address given.
func (d Door) HandlerAddress(address string) string {
	return net.JoinHostPort(address, strconv.Itoa(int(d.Ports[FrontDoor])))
}

// Sources are the sources of routes beside GardenRoutes. Names of the garden precede those of shoots.
func (d Door) Sources(shoots ...frontdoor.RouteSource) []frontdoor.RouteSource {
	return d.Names.sources(d.Ports, shoots...)
}
