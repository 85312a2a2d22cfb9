package kind

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// furtherNodes are the nodes of the seed beside the first one, and the gateways of all nodes. Each node publishes its gateway, so that users
// reach shoots while another node is lost.
func furtherNodes(in FirstInputs) ([]cluster.Node, gateways, error) {
	var nodes []cluster.Node
	all := gateways{in.Ports.Local(frontDoorPort)}
	for n := 2; n <= int(in.Seed.Nodes); n++ {
		name := fmt.Sprintf("kind-node-%d-front-door", n)
		if err := in.Ports.Publish(in.Store, name); err != nil {
			return nil, nil, err
		}
		nodes = append(nodes, cluster.Node{Published: map[int32]int32{cluster.TLSPort: in.Ports[name]}})
		all = append(all, in.Ports.Local(name))
	}
	return nodes, all, nil
}

// gateways are the addresses of the gateways on the nodes of a seed. Each knows the routes to all shoots.
type gateways []string

// Run implements frontdoor.RouteSource and frontdoor.Alternatives.
func (gateways) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Route implements frontdoor.RouteSource: the gateway on the first node knows the names.
func (g gateways) Route(string) (frontdoor.Destination, bool) {
	host, text, err := net.SplitHostPort(g[0])
	if err != nil {
		return frontdoor.Destination{}, false
	}
	port, err := strconv.Atoi(text)
	return frontdoor.Destination{Host: host, Port: port}, err == nil
}

// Of implements frontdoor.Alternatives.
func (g gateways) Of(_ context.Context, destination frontdoor.Destination) ([]string, bool) {
	if known, ok := g.Route(""); !ok || known != destination {
		return nil, false
	}
	return g, true
}

// NodeRange is the IPv4 range of the network of nodes. The error is containers.ErrNotFound before the first cluster was made.
func NodeRange(ctx context.Context, engine *containers.Engine) (string, error) {
	network, err := engine.Networks.Inspect(ctx, cluster.Network)
	if err != nil {
		return "", err
	}
	for _, subnet := range network.Subnets {
		if prefix, err := netip.ParsePrefix(subnet); err == nil && prefix.Addr().Is4() {
			return subnet, nil
		}
	}
	return "", fmt.Errorf("network %s of %s has no IPv4 range", cluster.Network, engine.Name())
}
