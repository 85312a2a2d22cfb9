package kubeapi

import (
	"context"
	"net"
	"net/netip"
	"net/url"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// services makes the errors of aggregated servers and of converters of custom resources name the Service that is only
// simulated.
func (g *guard) services(config *app.Config) {
	if len(g.rules.Simulated) == 0 || g.rules.Cluster != nil {
		return
	}
	config.Aggregator.ExtraConfig.ServiceResolver = served{config.Aggregator.ExtraConfig.ServiceResolver, g.rules}
	config.ApiExtensions.ExtraConfig.ServiceResolver = served{config.ApiExtensions.ExtraConfig.ServiceResolver, g.rules}
}

// served resolves only Services that a process may serve.
type served struct {
	webhook.ServiceResolver
	rules guardeddial.Rules
}

// ResolveEndpoint returns a SimulatedError for a Service whose address is simulated.
func (s served) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	location, err := s.ServiceResolver.ResolveEndpoint(namespace, name, port)
	if err != nil {
		return nil, err
	}
	if address, err := netip.ParseAddr(location.Hostname()); err == nil && s.rules.Simulates(address) {
		return nil, &guardeddial.SimulatedError{Address: address, Service: namespace + "/" + name}
	}
	return location, nil
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// naming dials a Service, and names it in errors about simulated pods.
func naming(former dial, service string) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := former(ctx, network, address)
		return conn, guardeddial.NameService(err, service)
	}
}
