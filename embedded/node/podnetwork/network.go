package podnetwork

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"github.com/go-logr/logr"
	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	clusterdns "github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
	"github.com/gardener-up/gardener-up/embedded/node/serviceports"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/peers"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// Config is the input of New.
type Config struct {
	// Servers are the host and port of servers of the landscape behind Services of the cluster: of its API server, and of others that all its
	// pods may reach.
	Servers map[types.NamespacedName]string
	// NameServers are the addresses at which pods ask for names.
	NameServers []netip.Addr
	// Domain is the domain of the cluster. Default cluster.local.
	Domain string
	// Peers is the directory in which the nodes of the cluster, and only these, have their sockets.
	Peers string
	// Outside says which addresses outside of the machine pods reach. Nil closes the outside. Then only names of the cluster exist.
	Outside *guardeddial.Rules
	// Node is the address of the node, at which ports of Services are opened. Without a valid one none is opened.
	Node netip.Addr
	// Tell reports what of a Service does not work to its users.
	Tell func(service *corev1.Service, reason, message string)
	Log  logr.Logger
}

// Network is what the pods of a node reach. Its methods may be called concurrently.
type Network struct {
	config Config
	local  func(netip.Addr) (reach.Pod, bool)

	known    chan struct{} // closed when the fields below are set
	catalog  *catalog.Catalog
	policies *policies
	names    dns.Handler
}

// New returns a network that knows nothing before Run. local finds the pods of this node.
func New(config Config, local func(netip.Addr) (reach.Pod, bool)) *Network {
	return &Network{config: config, local: local, known: make(chan struct{})}
}

// Run follows the cluster until the context ends. It is called once.
func (n *Network) Run(ctx context.Context, client *rest.Config) error {
	ports := serviceports.New(serviceports.Config{Node: n.config.Node, Pod: n.pod, Local: n.isLocal, Tell: n.config.Tell})
	services, err := catalog.New(client, ports.Notify)
	if err != nil {
		return fmt.Errorf("watch the Services of the cluster for its pods: %w", err)
	}
	policies, err := newPolicies(client)
	if err != nil {
		return fmt.Errorf("watch the NetworkPolicies of the cluster: %w", err)
	}
	var watching sync.WaitGroup
	watching.Go(func() { services.Run(ctx) })
	watching.Go(func() { policies.run(ctx) })
	if services.WaitForSync(ctx) && policies.waitForSync(ctx) {
		n.catalog, n.policies = services, policies
		n.names = clusterdns.ClusterHandler(clusterdns.ClusterConfig{
			Catalog: services, Domain: n.config.Domain, Upstreams: n.resolvers(), Log: n.config.Log,
		})
		close(n.known)
		if n.config.Node.IsValid() {
			ports.Run(ctx, services)
		}
	}
	watching.Wait()
	return nil
}

// From returns the decision for a pod of this node. It waits until the cluster is known.
func (n *Network) From(namespace, name string, address netip.Addr) podnet.Decide {
	cluster := reach.Cluster{Server: n.server, Service: n.service, Pod: n.pod, Outside: n.config.Outside, Policy: policy{n, namespace, name}}
	decide := cluster.From(address)
	return func(ctx context.Context, protocol podnet.Protocol, destination netip.AddrPort) (podnet.Dial, error) {
		select {
		case <-n.known:
			return decide(ctx, protocol, destination)
		case <-ctx.Done():
			return nil, fmt.Errorf("the Services and pods of the cluster are not known yet: %w", context.Cause(ctx))
		}
	}
}

func (n *Network) isLocal(address netip.Addr) bool {
	_, ok := n.local(address)
	return ok
}

// resolvers are those for names that are not of the cluster: the machine's, or none.
func (n *Network) resolvers() []string {
	if n.config.Outside != nil {
		return nil
	}
	return []string{}
}

// pod finds a pod of the cluster by its address, on this node or on another.
func (n *Network) pod(address netip.Addr) (reach.Pod, bool) {
	if pod, ok := n.local(address); ok {
		return pod, true
	}
	return peers.Find(n.config.Peers, address)
}
