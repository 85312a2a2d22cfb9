package servers

import (
	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/component"
	gardenletconfig "github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/serviceproxy"
)

// FrontDoors are the doors to shoots of an embedded seed. The VirtualServices of the seed route the names of shoots.
type FrontDoors struct {
	// Routes are fixed and come first.
	Routes map[string]string
	// Others knows the names that the seed does not know.
	Others frontdoor.RouteSource
	// Handlers of exposure classes have front doors of their own, at the same port of other addresses. If there are any, the usual
	// door serves only shoots whose Gateway has the labels Usual.
	Handlers []gardenletconfig.ExposureClassHandler
	Usual    map[string]string
}

func (d FrontDoors) parts(seed *rest.Config, door Door, proxy *serviceproxy.Server, absences *absences, log logr.Logger) ([]component.Part, error) {
	routes, err := frontdoor.NewVirtualServices(seed, log.WithName(FrontDoor))
	if err != nil {
		return nil, err
	}
	if len(d.Handlers) > 0 {
		routes.Of(d.Usual)
	}
	after := []string{ServiceProxy}
	parts := []component.Part{{After: after, Component: frontdoor.New(frontdoor.Config{
		Name: FrontDoor, Addresses: []string{door.Address()}, Routes: d.Routes,
		Sources: door.Sources(routes, d.Others), Resolve: proxy.Endpoint, Absent: absences.of, Log: log.WithName(FrontDoor),
	})}}
	for _, handler := range d.Handlers {
		name := HandlerFrontDoor(handler.Name)
		routes, err := frontdoor.NewVirtualServices(seed, log.WithName(name))
		if err != nil {
			return nil, err
		}
		parts = append(parts, component.Part{After: after, Component: frontdoor.New(frontdoor.Config{
			Name: name, Addresses: []string{door.HandlerAddress(handler.Address())},
			Sources: []frontdoor.RouteSource{routes.Of(handler.Selector())}, Resolve: proxy.Endpoint,
			Absent: absences.of, Log: log.WithName(name),
		})})
	}
	return parts, nil
}
