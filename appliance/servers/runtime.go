package servers

import (
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/kubecontroller"
	"github.com/gardener-up/gardener-up/embedded/kubescheduler"
)

const titleRuntime = "runtime cluster"

// Runtime is the control plane of an embedded seed.
func Runtime(in Inputs) []component.Part {
	seed := in.SeedClient()
	return []component.Part{
		{Title: titleRuntime, Component: kubeapi.New(kubeapi.Config{ // stores in etcd; waits for it itself
			Name: SeedAPIServer, Args: in.seedFlags().Args(), Client: seed, Log: in.Log,
		})},
		{After: []string{SeedAPIServer}, Title: titleRuntime, Component: kubecontroller.New(kubecontroller.Config{
			Name: "seed-controllers", Client: seed, Controllers: kubecontroller.SeedControllers(),
			SigningCert: in.PKI.Seed.ClientCA, SigningKey: in.PKI.Seed.ClientCAKey, RootCA: in.PKI.Seed.CA,
			ServiceAccountKey: in.PKI.Seed.ServiceAccountKey, Log: in.Log,
		})},
		operators.Part("seed-administrators", SeedAPIServer, titleRuntime, seed),
		{After: []string{SeedAPIServer}, Title: titleRuntime, Component: kubescheduler.New(kubescheduler.Config{
			Name: "seed-scheduler", Client: in.Seed("seed", in.PKI.Seed.Scheduler).Config(), Log: in.Log,
		})},
	}
}
