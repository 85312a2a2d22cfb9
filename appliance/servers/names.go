package servers

import (
	"net"
	"net/netip"
	"strconv"
)

// GardenHostname is the DNS name of the garden's API server at the front door, in the domain of the garden.
func GardenHostname(domain string) string { return "api." + domain }

// DiscoveryHostname is the DNS name at the front door that serves only the documents by which systems outside verify the garden's
// tokens.
func DiscoveryHostname(domain string) string { return "discovery." + domain }

// MetricsHostname is the DNS name at the front door that serves the metrics of the landscape.
func MetricsHostname(domain string) string { return "metrics." + domain }

const metricsPath = "/metrics"

// MetricsURL is where metrics are read. It is an address of this machine if the front door is one, since the name of the front door does
// not resolve there.
func (in Inputs) MetricsURL() string {
	if address, err := netip.ParseAddr(in.FrontDoorIP); err == nil && address.IsLoopback() {
		return in.Ports.URL(Metrics) + metricsPath
	}
	return "https://" + net.JoinHostPort(MetricsHostname(in.Domains.Garden), strconv.Itoa(int(in.Ports[FrontDoor]))) + metricsPath
}

// GardenRoutes are the names at the front door that belong to the garden.
func (in Inputs) GardenRoutes() map[string]string {
	return map[string]string{
		GardenHostname(in.Domains.Garden):    in.Ports.Local(GardenAPIServer),
		DiscoveryHostname(in.Domains.Garden): in.Ports.Local(GardenerAPIServer),
		MetricsHostname(in.Domains.Garden):   in.Ports.Local(Metrics),
	}
}

// FrontDoorAddress is host:port of the front door.
func (in Inputs) FrontDoorAddress() string { return in.HandlerAddress(in.FrontDoorIP) }

// HandlerFrontDoor is the name of the front door of a handler of exposure classes.
func HandlerFrontDoor(handler string) string { return FrontDoor + "-" + handler }

// HandlerAddress is host:port of the front door of a handler with the address given.
func (in Inputs) HandlerAddress(address string) string {
	return net.JoinHostPort(address, strconv.Itoa(int(in.Ports[FrontDoor])))
}
