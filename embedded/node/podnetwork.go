package node

import (
	"context"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/gardener-up/gardener-up/embedded/node/podnetwork"
	"github.com/gardener-up/gardener-up/embedded/node/podnetwork/tell"
	"github.com/gardener-up/gardener-up/embedded/node/pods"
	"github.com/gardener-up/gardener-up/embedded/node/sandboxed"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/peers"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// podNetwork connects the sandboxes of a node with their cluster. The zero value is for nodes without sandboxes.
type podNetwork struct {
	config    Config
	peers     string // see openSandboxes
	client    *rest.Config
	host      *sandboxed.Host
	processes processes // set before run
	network   *podnetwork.Network
	events    record.EventRecorder // nil before run
}

// processes knows the pods of the node whose containers are processes.
type processes interface {
	// Ports returns the ports that the containers of the pod with the address declare, if they are processes.
	Ports(address netip.Addr) (ports []int32, found bool)
}

func newPodNetwork(c Config, own *openSandboxes, index *pods.Index) *podNetwork {
	if own == nil {
		return &podNetwork{}
	}
	p := &podNetwork{config: c, peers: own.peers(), client: own.Client}
	log := c.Log.WithName("sandboxes")
	network := podnetwork.Config{
		Servers: own.Servers, NameServers: c.nameServers(), Domain: c.Kubelet.ClusterDomain, Peers: p.peers,
		Outside: own.Outside.rules(), Tell: p.tell, Log: log,
	}
	if own.Ports {
		network.Node = c.NodeIP
	}
	p.network = podnetwork.New(network, p.pod)
	p.host = sandboxed.New(sandboxed.Config{
		Spawner: own.spawner, Images: own.images, Cluster: own.Cluster, Scratch: func(podUID string) ([]string, error) { return c.scratch(podUID, index.Pod(podUID)) }, Base: c.base,
		Group: own.group, Memory: c.podMemory(), Limits: func(podUID string) groups.Limits { return c.bounded(c.limitsOf(index.Pod(podUID))) },
		Node: c.NodeIP, Landscape: landscape, Decide: p.network.From, Log: log,
	})
	return p
}

// pod finds a pod of the node that listens: one in a sandbox, or one of the landscape, at the ports that it declares.
func (p *podNetwork) pod(address netip.Addr) (reach.Pod, bool) {
	if address == podnetwork.ResponderOf(p.config.PodRange) {
		return podnetwork.Responder(address), true
	}
	if found, ok := p.host.Pod(address); ok {
		return found, true
	}
	ports, ok := p.processes.Ports(address)
	return reach.Machine{Address: address, Ports: ports}, ok
}

// tell makes an event of a Service.
func (p *podNetwork) tell(service *corev1.Service, reason, message string) {
	p.events.Event(service, corev1.EventTypeWarning, reason, message)
}

// run connects the pods until the context ends. client and kube are those of the node.
func (p *podNetwork) run(ctx context.Context, client *rest.Config, kube kubernetes.Interface, events record.EventRecorder) error {
	if p.network == nil {
		<-ctx.Done()
		return nil
	}
	p.events = events
	if p.client != nil {
		client = p.client
	}
	server, err := peers.Serve(p.peers, p.config.PodRange, p.pod)
	if err != nil {
		return err
	}
	defer server.Close()
	go p.host.Watch(ctx)
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	if p.client == nil { // of a shoot, whose Network has a status
		telling.Go(func() { p.health(ctx, kube) })
	}
	return p.network.Run(ctx, client)
}

// health tells how the network of the pods is, until the context ends.
func (p *podNetwork) health(ctx context.Context, client kubernetes.Interface) {
	tell.Run(ctx, tell.Config{
		Client: client, Node: p.config.Name, Own: podnetwork.ResponderOf(p.config.PodRange), Try: p.network.Try, Log: p.config.Log.WithName("pod-network"),
		Responder: func(node netip.Addr) (netip.Addr, error) {
			pods, err := DefaultPodRange(node)
			return podnetwork.ResponderOf(pods), err
		},
	})
}

// close ends all sandboxes.
func (p *podNetwork) close() {
	if p.host != nil {
		p.host.Close()
	}
}

// nameServers are the addresses of the cluster's name server.
func (c Config) nameServers() []netip.Addr {
	var all []netip.Addr
	for _, text := range c.Kubelet.ClusterDNS {
		if address, err := netip.ParseAddr(text); err == nil {
			all = append(all, address)
		}
	}
	return all
}
