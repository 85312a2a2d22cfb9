package own

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// child is the process of the cluster: the process of a landscape reduced to etcd and the embedded seed.
func child(in Inputs, record *record, p paths.Paths) (daemon.Child, error) {
	seed, _, err := record.get()
	if err != nil {
		return daemon.Child{}, err
	}
	anyPort := int32(0)
	of := in.Inherited
	cfg := &config.Landscape{
		Name: of.Landscape, StateDir: p.Root(), Domain: of.Domain, Log: of.Log, Image: of.Image, FrontDoor: config.FrontDoor{Port: &anyPort},
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
	if err := os.Rename(p.Log(), p.PreviousLog()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return daemon.Child{}, fmt.Errorf("keep the previous log: %w", err)
	}
	executable, err := self.Path()
	if err != nil {
		return daemon.Child{}, err
	}
	return daemon.Child{Executable: executable, LogFile: p.Log(), Args: []string{
		"daemon", "--landscape-config=" + file, "--state-dir=" + p.Root(), "--" + ClusterFlag + "=" + in.NameServer,
	}}, nil
}

// serves asks the process of the cluster.
func serves(ctx context.Context, p paths.Paths) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	report, err := daemon.NewClient(p.Socket()).Report(ctx)
	if err != nil {
		return errors.New("the cluster is starting")
	}
	if report.Ready {
		return nil
	}
	for _, part := range report.Parts {
		if part.State == component.Starting && part.Message != "" {
			return fmt.Errorf("%s: %s", part.Name, part.Message)
		}
	}
	return errors.New("the cluster is starting")
}
