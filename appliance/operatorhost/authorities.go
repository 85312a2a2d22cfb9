package operatorhost

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/gardenkeys"
	"github.com/gardener-up/gardener-up/appliance/mergedkubeconfigs"
	"github.com/gardener-up/gardener-up/appliance/servers"
)

// authorities are those of the garden, whose servers all run in this process.
func authorities(in Inputs, files gardenkeys.Files) gardenkeys.Authorities {
	local := map[string]string{}
	for name, server := range in.Door.GardenRoutes() {
		local[server] = name
	}
	return gardenkeys.Authorities{
		Files: files, Garden: in.Access.GardenClient(), Client: in.Access.PKI.Garden.Appliance.Cert, Servers: local,
		Publish: func(ctx context.Context) error { return publishAuthorities(ctx, in) },
	}
}

// publishAuthorities writes the authorities of the garden wherever the landscape has told them.
func publishAuthorities(ctx context.Context, in Inputs) error {
	trusted, err := os.ReadFile(in.Access.PKI.Garden.CA)
	if err != nil {
		return fmt.Errorf("read CA of the garden: %w", err)
	}
	if err := errors.Join(in.WriteKubeconfigs(), in.Access.RegisterGardenerAPI(ctx, in.Access.GardenClient())); err != nil {
		return err
	}
	if err := mergedkubeconfigs.Trust(in.Paths.MergedKubeconfigs(), servers.GardenHostname(in.Door.Domain), trusted); err != nil {
		in.Log.Error(err, "A merged kubeconfig does not have the present authorities of the garden") // the file is its user's
	}
	return gardenkeys.Published(ctx, in.Access.GardenClient(), trusted)
}
