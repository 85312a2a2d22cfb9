package appliance

import (
	"context"
	"errors"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/seeds/embedded"
	"github.com/gardener-up/gardener-up/appliance/servers"
	"github.com/gardener-up/gardener-up/appliance/state"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// cluster runs the cluster of an own seed in a separate process: the servers and the node, but no garden and no Gardener
// controllers.
type cluster struct {
	process    *process
	nameServer string // host:port of the landscape's name server
	garden     string // host:port of the front door of its garden
}

// parts are the parts of an embedded first seed, with an etcd of its own. The last part publishes how other processes reach
// the cluster.
func (c *cluster) parts(context.Context) ([]component.Part, error) {
	in := c.process.network()
	in.NameServer, in.Garden = servers.ClusterNameServer(in.Access, c.nameServer, in.Log), c.garden
	in.FrontDoors = servers.FrontDoors{Others: frontdoor.Services{}} // behind the front door of the landscape, whose gardenlets name Services
	network, err := servers.Network(in)
	if err != nil {
		return nil, err
	}
	parts := append(servers.Runtime(c.process.runtime()), network...)
	return append(parts, embedded.Ways(in.SeedClient(), in.Door.Address())), nil
}

func (c *cluster) listeners() state.Listeners {
	return state.Listeners{FrontDoor: servers.FrontDoor, Local: append(servers.ClusterListeners(), servers.EtcdSeed)}
}

func (c *cluster) hosts() pki.Hosts { return pki.Hosts{} }

func (c *cluster) writeKubeconfigs() error {
	in := c.process.kubeconfigs()
	return errors.Join(in.WriteSeed(), in.WriteLandscape())
}

func (c *cluster) further() []*component.Supervisor { return nil }

func (c *cluster) engine() string { return "" }

var errCluster = errors.New("this process runs the cluster of a seed and has no further seeds: ask the process of the landscape")

func (c *cluster) ownSeeds() ownSeeds { return noSeeds{} }

// noSeeds refuses all orders.
type noSeeds struct{}

func (noSeeds) Add(context.Context, daemon.NewSeed) error { return errCluster }

func (noSeeds) Remove(context.Context, string) error { return errCluster }

func (noSeeds) Try(context.Context, daemon.NewSeed) (*gardencorev1beta1.Seed, error) {
	return nil, errCluster
}
