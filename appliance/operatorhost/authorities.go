package operatorhost

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/gardenkeys"
	"github.com/gardener-up/gardener-up/appliance/mergedkubeconfigs"
	"github.com/gardener-up/gardener-up/appliance/servers"
)

// authorities are those of the garden, whose servers all run in this process.
func authorities(in servers.Inputs, files gardenkeys.Files, log logr.Logger) gardenkeys.Authorities {
	local := map[string]string{}
	for name, server := range in.GardenRoutes() {
		local[server] = name
	}
	return gardenkeys.Authorities{
		Files: files, Garden: in.GardenClient(), Client: in.PKI.Garden.Appliance.Cert, Servers: local,
		Publish: func(ctx context.Context) error { return publishAuthorities(ctx, in, log) },
	}
}

// publishAuthorities writes the authorities of the garden wherever the landscape has told them.
func publishAuthorities(ctx context.Context, in servers.Inputs, log logr.Logger) error {
	trusted, err := os.ReadFile(in.PKI.Garden.CA)
	if err != nil {
		return fmt.Errorf("read CA of the garden: %w", err)
	}
	if err := errors.Join(in.WriteGardenKubeconfigs(), in.RegisterGardenerAPI(ctx, in.GardenClient())); err != nil {
		return err
	}
	if err := mergedkubeconfigs.Trust(in.Paths.MergedKubeconfigs(), servers.GardenHostname(in.Domains.Garden), trusted); err != nil {
		log.Error(err, "A merged kubeconfig does not have the present authorities of the garden") // the file is its user's
	}
	return gardenkeys.Published(ctx, in.GardenClient(), trusted)
}
