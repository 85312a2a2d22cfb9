package servers

import (
	"context"
	"net/netip"

	"github.com/gardener-up/gardener-up/appliance/binaries"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/serviceproxy"
)

const titleNode = "node"

// oneKubelet is why the node cannot be stopped alone.
const oneKubelet = "a kubelet cannot start a second time in its process; stop a machine of a shoot, whose kubelet is a process of its own"

// Network resolves names and carries connections, and includes the node, whose pods need both.
func Network(in NetworkInputs) ([]component.Part, error) {
	absences, err := newAbsences(in.SeedClient(), in.Choice, in.Log.WithName(FrontDoor))
	if err != nil {
		return nil, err
	}
	proxy := serviceproxy.New(serviceproxy.Config{
		Name: ServiceProxy, Client: in.SeedClient(), ServiceCIDR: netip.MustParsePrefix(in.Cluster.ServiceCIDR),
		Servers: in.services(), Absent: absences.behind, Log: in.Log.WithName(ServiceProxy),
	})
	doors, err := in.FrontDoors.parts(in.SeedClient(), in.Door, proxy, absences, in.Log)
	if err != nil {
		return nil, err
	}
	return append([]component.Part{
		{After: []string{SeedAPIServer}, Component: in.NameServer},
		{After: []string{DNS}, Component: component.NewStep(Resolver, func(context.Context) error { // clients in this process name Services
			in.SetResolver(in.Ports.Local(DNS))
			return nil
		}, nil)},
		{After: []string{SeedAPIServer}, Component: proxy},
		{After: []string{SeedAPIServer}, Component: component.NewStep(GardenService, in.makeGardenService, nil)},
		{After: []string{SeedAPIServer, DNS}, Title: titleNode, Fixed: oneKubelet, Component: embeddedNode(in)}, // pods find names from the start
		keptBinaries(in.Paths).Part(SeedAPIServer, in.SeedClient(), in.Log.WithName(binaries.PartName)),
	}, doors...), nil
}
