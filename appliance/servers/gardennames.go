package servers

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// GardenNames are names of the garden's API server at the front door beside GardenHostname. They may change while the front door runs. The
// zero value has none.
type GardenNames struct{ names atomic.Pointer[[]string] }

// Set replaces the names, which are in lower case.
func (n *GardenNames) Set(names []string) {
	names = slices.Clone(names)
	n.names.Store(&names)
}

// gardenNames routes the names to the API server.
type gardenNames struct {
	*GardenNames
	server frontdoor.Destination
}

// Run implements frontdoor.RouteSource.
func (gardenNames) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Route implements frontdoor.RouteSource.
func (n gardenNames) Route(serverName string) (frontdoor.Destination, bool) {
	names := n.names.Load()
	if names == nil || !slices.Contains(*names, serverName) {
		return frontdoor.Destination{}, false
	}
	return n.server, true
}

// sources are the names and then those of shoots. Of nil, which a process without the garden has, they are those of shoots.
func (n *GardenNames) sources(ports state.Ports, shoots ...frontdoor.RouteSource) []frontdoor.RouteSource {
	if n == nil {
		return shoots
	}
	server := frontdoor.Destination{Host: "127.0.0.1", Port: int(ports[GardenAPIServer])}
	return append([]frontdoor.RouteSource{gardenNames{n, server}}, shoots...)
}
