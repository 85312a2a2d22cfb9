package appliance

import (
	"net"
	"net/url"
	"strconv"
)

// gardenHost is the name of the garden's API server at the front door.
func (a *appliance) gardenHost() string { return "api." + a.Config.GardenDomain() }

// discoveryHost is the name at the front door that serves what outsiders need in order to trust the garden's tokens,
// and nothing else.
func (a *appliance) discoveryHost() string { return "discovery." + a.Config.GardenDomain() }

// tokenIssuer is the URL of the issuer of tokens of WorkloadIdentities. Systems outside fetch its documents by this very
// URL, which therefore names the port of the front door.
func (a *appliance) tokenIssuer() string {
	host := a.discoveryHost()
	if port := a.ports["front-door"]; port != 443 {
		host = net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	issuer := url.URL{Scheme: "https", Host: host, Path: "/garden/workload-identity/issuer"}
	return issuer.String()
}

// gardenRoutes are the names at the front door that belong to the garden.
func (a *appliance) gardenRoutes() map[string]string {
	return map[string]string{
		a.gardenHost():    a.ports.local("garden-apiserver"),
		a.discoveryHost(): a.ports.local("gardener-apiserver"),
	}
}
