package servers

import (
	"errors"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// WriteGardenKubeconfig writes the kubeconfig by which users reach the garden through the front door (garden.yaml).
func (in Inputs) WriteGardenKubeconfig() error {
	user := pki.Access{
		Name: "garden-" + in.Landscape, Server: "https://" + in.FrontDoorAddress(),
		ServerName: GardenHost(in.Domains.Garden), CA: in.PKI.Garden.CA, User: in.PKI.Garden.Admin,
	}
	return user.WritePortable(in.Paths.Kubeconfig("garden"))
}

// WriteSeedKubeconfigs writes the kubeconfig of users of the embedded seed (seed.yaml) and those of its own parts.
func (in Inputs) WriteSeedKubeconfigs() error {
	return errors.Join(
		in.Seed("seed-"+in.Cluster.Name, in.PKI.Seed.Admin).WritePortable(in.Paths.Kubeconfig("seed")),
		in.Seed("node", in.PKI.Seed.Node).WriteKubeconfig(in.Paths.Kubeconfig("node")),
		in.Seed("kube-scheduler", in.PKI.Seed.Scheduler).WriteKubeconfig(in.Paths.Kubeconfig("kube-scheduler")),
	)
}
