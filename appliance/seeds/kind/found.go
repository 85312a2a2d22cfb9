package kind

import (
	"context"

	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/local/cluster"
	"github.com/gardener-up/gardener-up/local/containers"
)

// Find returns the hosting by a kind cluster that the landscape or a user has made with this machine's container engine. node and machineID
// are what the API of the cluster says about one of its nodes. The error is containers.ErrNotFound if the engine does not have
// that node.
func Find(ctx context.Context, in Inputs, engine *containers.Engine, seed, node, machineID string) (*Hosting, error) {
	found, err := cluster.Find(ctx, engine, node, machineID, in.Log.WithName("kind"))
	if err != nil {
		return nil, err
	}
	image := in.NodeImage
	if image == "" {
		if image, err = found.NodeImage(ctx); err != nil {
			return nil, err
		}
	}
	frontDoor := entry.Remember(func(ctx context.Context) (string, error) {
		addresses, err := found.FromHost(ctx, []int{cluster.TLSPort})
		return addresses[cluster.TLSPort], err
	})
	return &Hosting{in: in, seed: seed, engine: engine, cluster: found, entry: frontDoor, nodeImage: image}, nil
}
