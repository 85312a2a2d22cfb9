package appliance

import (
	"context"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// Cluster makes a process that of the cluster of a further embedded seed: etcd, API server, controllers, scheduler, names and
// the node, of which a process can have one only. The process of the landscape starts it and runs the seed's controllers.
type Cluster struct {
	// NameServer is the address, host:port, of the landscape's name server, which knows the names of shoots.
	NameServer string
}

// ClusterFlag is the flag of the verb daemon for NameServer.
const ClusterFlag = "cluster-of"

// clusterParts are those of the first seed with a storage of their own. The last one tells others the ways to the cluster.
func (a *appliance) clusterParts(context.Context) ([]component.Part, error) {
	a.seeds, a.further = newSeeds(a, nil), newOwnSeeds(a) // none
	parts := append(a.storage(), a.seedServers()...)
	network, err := a.network(nil)
	if err != nil {
		return nil, err
	}
	parts = append(parts, network...)
	return append(parts,
		component.Part{After: []string{"front-door", "node"}, Component: component.NewStep("ways", func(ctx context.Context) error {
			return tellWays(ctx, a.seedAs("appliance", a.bundle.Seed.Appliance).Config(), ways{frontDoor: frontDoorAddress(a.Config, a.ports["front-door"])})
		}, nil)},
		component.Part{Component: a.renewal(), Restart: true},
	), nil
}
