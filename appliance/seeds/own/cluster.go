package own

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/self"
)

// ClusterFlag is the flag of the verb daemon that makes a process the cluster of an own seed. Its value is host:port of the
// landscape's name server, which knows the names of shoots.
const ClusterFlag = "cluster-of"

// GardenFlag is the flag of the verb daemon with host:port of the front door of the garden, for a process that is the cluster of an own seed.
const GardenFlag = "garden-at"

// SharedFlag is the flag of the verb daemon with the state directory of the landscape, for a process that is the cluster of an own seed.
const SharedFlag = "shared-dir"

// child is the process of the cluster: the process of a landscape reduced to etcd and the embedded seed.
func child(in Inputs, record *record, p paths.Paths) (daemon.Child, error) {
	seed, _, err := record.get()
	if err != nil {
		return daemon.Child{}, err
	}
	if err := sameCluster(record.name, seed, p); err != nil {
		return daemon.Child{}, err
	}
	anyPort := int32(0)
	of := in.Inherited
	cfg := &config.Landscape{
		Name: of.Landscape, StateDir: p.Root(), Domain: of.Domain, Log: of.Log, Storage: of.Storage, Image: of.Image, Containers: of.Containers, SimulateMissingImages: of.SimulateMissingImages, RegistryMirrors: of.RegistryMirrors, Tenants: of.Tenants, FrontDoor: config.FrontDoor{Port: &anyPort},
		Seed: config.Seed{Name: record.name, PodCIDR: seed.PodCIDR, ServiceCIDR: seed.ServiceCIDR},
	}
	config.SetDefaults(cfg)
	if err := p.Create(); err != nil {
		return daemon.Child{}, err
	}
	file, err := state.SaveConfig(cfg, p)
	if err != nil {
		return daemon.Child{}, err
	}
	if err := state.Log(cfg, p).Restart(p.Logs().Previous()); err != nil {
		return daemon.Child{}, err
	}
	executable, err := self.Path()
	if err != nil {
		return daemon.Child{}, err
	}
	return daemon.Child{Executable: executable, LogFile: p.Logs().Current(), Args: []string{
		"daemon", "--landscape-config=" + file, "--state-dir=" + p.Root(), "--" + ClusterFlag + "=" + in.NameServer,
		"--" + SharedFlag + "=" + in.Paths.Root(), "--" + GardenFlag + "=" + in.GardenAt,
	}}, nil
}

// answerTimeout is how long the process of a cluster may take to answer.
const answerTimeout = time.Second

// serves asks the process of the cluster. attention is what it warns of.
func serves(ctx context.Context, p paths.Paths) (attention string, _ error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	report, err := daemon.NewClient(p.Run().Socket()).Report(ctx)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the process of the cluster does not answer within %s", answerTimeout)
	case err != nil:
		return "", errors.New("the cluster is starting")
	}
	for _, part := range report.Parts {
		if !part.Serves() || part.State == component.Starting && !report.Ready && part.Message != "" {
			return "", fmt.Errorf("%s: %s", part.Name, part.Message)
		}
		if part.Warning != "" {
			attention = part.Name + ": " + part.Warning
		}
	}
	if !report.Ready {
		return "", errors.New("the cluster is starting")
	}
	return attention, nil
}
