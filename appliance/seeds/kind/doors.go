package kind

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"sync/atomic"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/gardenlets"
	"github.com/gardener-up/gardener-up/appliance/servers"
	gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/local/cluster"
)

// handlerDoors are the front doors of a kind seed for handlers of exposure classes. Each handler has a gateway in the seed, at
// ports of its own on the seed's node, and a front door of the landscape, at its own address, that leads there.
type handlerDoors []*handlerDoor

// handlerDoor is the front door for one handler.
type handlerDoor struct {
	door     servers.Door // of the landscape
	log      logr.Logger
	name     string // of the handler
	address  string // of the landscape's front door
	ports    gatewaypods.Ports
	hostPort int32                                 // by which the engine publishes ports.TLS, if the cluster is made with it
	located  atomic.Pointer[frontdoor.Destination] // where this process reaches the gateway; nil until the cluster runs
}

// newHandlerDoors chooses ports for the handlers of the landscape's configuration.
func newHandlerDoors(in FirstInputs) (handlerDoors, error) {
	configuration, err := in.Gardenlets.First(gardenlets.EmbeddedNodes)
	if err != nil {
		return nil, err
	}
	var doors handlerDoors
	remembered := map[string]int32{}
	for _, handler := range configuration.ExposureClassHandlers {
		doors = append(doors, &handlerDoor{door: in.Door, log: in.Log, name: handler.Name, address: handler.Address()})
		if remembered[handler.Name], err = in.Store.Port(handlerPort(handler.Name)); err != nil {
			return nil, err
		}
		published := frontDoorPort + "-" + handler.Name
		if err := in.Ports.Publish(in.Store, published); err != nil {
			return nil, err
		}
		doors[len(doors)-1].hostPort = in.Ports[published]
	}
	chosen := chooseGatewayPorts(doors.names(), remembered)
	for _, door := range doors {
		door.ports = chosen[door.name]
		if err := in.Store.SetPort(handlerPort(door.name), door.ports.TLS); err != nil {
			return nil, err
		}
	}
	return doors, nil
}

// handlerPort is the name by which the store remembers the TLS port of a handler's gateway on the seed's node: nodes of shoots
// keep it.
func handlerPort(handler string) string { return "kind-gateway-" + handler }

func (d handlerDoors) names() []string {
	var names []string
	for _, door := range d {
		names = append(names, door.name)
	}
	return names
}

// ports are the ports of the gateways on the seed's node, by handler.
func (d handlerDoors) ports() map[string]gatewaypods.Ports {
	ports := map[string]gatewaypods.Ports{}
	for _, door := range d {
		ports[door.name] = door.ports
	}
	return ports
}

// published are the ports of this machine by those of the seed's node, beside those of the usual gateway.
func (d handlerDoors) published(usual map[int32]int32) map[int32]int32 {
	published := maps.Clone(usual)
	for _, door := range d {
		published[door.ports.TLS] = door.hostPort
	}
	return published
}

// locate finds out where this process reaches the gateways. The cluster must run.
func (d handlerDoors) locate(ctx context.Context, c *cluster.Existing) error {
	var ports []int
	for _, door := range d {
		ports = append(ports, int(door.ports.TLS))
	}
	if len(ports) == 0 {
		return nil
	}
	addresses, err := c.FromHost(ctx, ports)
	if err != nil {
		return err
	}
	for _, door := range d {
		address, err := netip.ParseAddrPort(addresses[int(door.ports.TLS)])
		if err != nil {
			return fmt.Errorf("find the gateway of handler %q: %w", door.name, err)
		}
		door.located.Store(&frontdoor.Destination{Host: address.Addr().String(), Port: int(address.Port())})
	}
	return nil
}

// parts are the landscape's front doors.
func (d handlerDoors) parts() []component.Part {
	var parts []component.Part
	for _, door := range d {
		name := servers.HandlerFrontDoor(door.name)
		parts = append(parts, component.Part{Component: frontdoor.New(frontdoor.Config{
			Name: name, Addresses: []string{door.door.HandlerAddress(door.address)},
			Sources: []frontdoor.RouteSource{door}, Log: door.log.WithName(name),
		})})
	}
	return parts
}

// Run implements frontdoor.RouteSource.
func (*handlerDoor) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Route implements frontdoor.RouteSource: the gateway in the seed knows the names.
func (d *handlerDoor) Route(string) (frontdoor.Destination, bool) {
	if found := d.located.Load(); found != nil {
		return *found, true
	}
	return frontdoor.Destination{}, false
}
