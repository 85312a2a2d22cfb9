package appliance

import (
	"net"

	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/serviceproxy"
)

// frontDoors are the landscape's front door, and one for each handler of exposure classes that the gardenlet's configuration
// has, at the same port of the handler's own address.
func (a *appliance) frontDoors(seed *rest.Config, proxy *serviceproxy.Server) ([]component.Part, error) {
	configuration, err := a.gardenletConfiguration(embeddedNodes)
	if err != nil {
		return nil, err
	}
	log, port := a.Log.WithName("front-door"), a.ports["front-door"]
	routes, err := frontdoor.NewVirtualServices(seed, log)
	if err != nil {
		return nil, err
	}
	handlers := configuration.ExposureClassHandlers
	if len(handlers) > 0 {
		routes.Of(configuration.SNI.Ingress.Labels)
	}
	main := frontdoor.Config{
		Name: "front-door", Addresses: []string{frontDoorAddress(a.Config, port)}, Routes: a.gardenRoutes(),
		Sources: []frontdoor.RouteSource{routes, a.seeds}, Resolve: proxy.Endpoint, Log: log,
	}
	if a.Cluster != nil { // behind the landscape's, whose gardenlets name Services
		main.Routes, main.Sources = nil, []frontdoor.RouteSource{routes, frontdoor.Services{}}
	}
	parts := []component.Part{{After: []string{"service-proxy"}, Component: frontdoor.New(main)}}
	for _, handler := range handlers {
		name := "front-door-" + handler.Name
		routes, err := frontdoor.NewVirtualServices(seed, a.Log.WithName(name))
		if err != nil {
			return nil, err
		}
		parts = append(parts, component.Part{After: []string{"service-proxy"}, Component: frontdoor.New(frontdoor.Config{
			Name: name, Addresses: []string{net.JoinHostPort(handler.Address(), portText(port))},
			Sources: []frontdoor.RouteSource{routes.Of(handler.Selector())}, Resolve: proxy.Endpoint, Log: a.Log.WithName(name),
		})})
	}
	return parts, nil
}
