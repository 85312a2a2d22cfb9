package servers

import (
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/kubecontroller"
	"github.com/gardener-up/gardener-up/embedded/kubescheduler"
)

const titleRuntime = "runtime cluster"

// A component of a control plane that runs wild takes no more requests and watches of a seed at a time. The gardenlet and other
// controllers of the landscape's process are members of system:masters, who have no limits.
const seedRequestsPerUser, seedWatchesPerUser = int(config.DefaultInFlightPerUser), int(config.DefaultWatchesPerUser)

// RuntimeInputs are what the control plane of an embedded seed needs.
type RuntimeInputs struct {
	Etcds
	ServiceCIDR string // range of the seed's Services
}

// Runtime is the control plane of an embedded seed with its etcd. Users of shoots and projects do not write to seeds, so nobody
// is refused when the etcd fills. When the disk fills, everybody is.
func Runtime(in RuntimeInputs) []component.Part {
	seed, store := in.SeedClient(), in.seedStorage()
	return []component.Part{
		store.part(),
		{Title: titleRuntime, Uses: []string{EtcdSeed}, Component: kubeapi.New(in.seedServer(store))}, // stores in etcd; waits for it itself
		{After: []string{SeedAPIServer}, Title: titleRuntime, Component: kubecontroller.New(kubecontroller.Config{
			Name: "seed-controllers", Client: seed, Controllers: kubecontroller.SeedControllers(),
			SigningCert: in.PKI.Seed.ClientIssuer, SigningKey: in.PKI.Seed.ClientIssuerKey, RootCA: in.PKI.Seed.CA,
			ServiceAccountKey: in.PKI.Seed.ServiceAccountKey, Log: in.Log,
		})},
		operators.Part("seed-administrators", SeedAPIServer, titleRuntime, seed),
		{After: []string{SeedAPIServer}, Title: titleRuntime, Component: kubescheduler.New(kubescheduler.Config{
			Name: "seed-scheduler", Client: in.Seed("seed", in.PKI.Seed.Scheduler).Config(), Log: in.Log,
		})},
	}
}

func (in RuntimeInputs) seedServer(store storage) kubeapi.Config {
	return kubeapi.Config{
		Name: SeedAPIServer, Args: in.seedFlags(store, in.ServiceCIDR).Args(), Client: in.SeedClient(), Disk: in.Storage.Disk.Low, Operators: operators.Group, Log: in.Log,
		MaxRequestsPerUser: seedRequestsPerUser, MaxWatchesPerUser: seedWatchesPerUser,
	}
}
