package appliance

import (
	"context"
	"net/netip"
	"path/filepath"

	"k8s.io/client-go/rest"
	kubeletconfig "k8s.io/kubelet/config/v1beta1"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/node"
	"github.com/gardener-up/gardener-up/embedded/serviceproxy"
)

// network lists what carries names and connections, and the node whose pods need them.
func (a *appliance) network(zone *dns.Zone) ([]component.Part, error) {
	seed := a.seedAs("appliance", a.bundle.Seed.Appliance).Config()
	proxy := serviceproxy.New(serviceproxy.Config{
		Name: "service-proxy", Client: seed, ServiceCIDR: netip.MustParsePrefix(a.Config.Seed.ServiceCIDR),
		APIServer: a.ports.local("seed-apiserver"), Log: a.Log.WithName("service-proxy"),
	})
	doors, err := a.frontDoors(seed, proxy)
	if err != nil {
		return nil, err
	}
	return append([]component.Part{
		{After: []string{"seed-apiserver"}, Component: a.nameServer(seed, zone)},
		{After: []string{"dns"}, Component: component.NewStep("resolver", func(context.Context) error { // clients in this process name Services
			a.SetResolver(a.ports.local("dns"))
			return nil
		}, nil)},
		{After: []string{"seed-apiserver"}, Component: proxy},
		{After: []string{"seed-apiserver", "dns"}, Title: titleNode, Component: a.node()}, // pods find names from the start
	}, doors...), nil
}

// nameServer answers for the Services of a cluster, if there is one, and for the domains of the landscape.
func (a *appliance) nameServer(cluster *rest.Config, zone *dns.Zone) *dns.Server {
	c := dns.Config{
		Name: "dns", Address: a.ports.local("dns"), Client: cluster, Zone: zone,
		Domains: []string{a.Config.InternalDomain(), a.Config.ExternalDomain()}, Log: a.Log.WithName("dns"),
	}
	if a.Cluster != nil { // the landscape's knows the domains
		c.Domains, c.Upstreams = nil, []string{a.Cluster.NameServer}
	}
	return dns.New(c)
}

// node is the one node of the embedded seed.
func (a *appliance) node() *node.Node {
	host, port := "127.0.0.1", portText(a.ports["seed-apiserver"])
	kubelet := &kubeletconfig.KubeletConfiguration{Port: kubeletPort, ClusterDomain: "cluster.local"}
	kubelet.Authentication.X509.ClientCAFile = a.bundle.Seed.ClientCA
	return node.New(node.Config{
		Name: a.Config.Seed.Name, RootDir: a.Paths.Node("seed"), CertDir: filepath.Join(a.Paths.Node("seed"), "pki"),
		Client: a.seedAs("node", a.bundle.Seed.Node).Config(), Kubelet: kubelet,
		NodeIP: netip.MustParseAddr(nodeIP(a.Config)), PodRange: netip.MustParsePrefix(a.Config.Seed.PodCIDR),
		IsAppliance: image.Is, Tasks: tasks(), DNS: a.ports.local("dns"), APIServerHost: host, APIServerPort: port,
		PassEnv: []string{"GOCOVERDIR"}, Version: a.Version, Log: a.Log.WithName("node"),
	})
}
