package appliance

import (
	"errors"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// writeKubeconfigs writes the kubeconfigs of users (garden.yaml, seed.yaml) and of the landscape's own parts.
func (a *appliance) writeKubeconfigs() error {
	if a.Cluster == nil {
		if err := a.gardenUser().WritePortable(a.Paths.Kubeconfig("garden")); err != nil || a.Config.Seed.Kind() {
			return err // kind writes the seed's
		}
	}
	return errors.Join(
		a.seedAs("seed-"+a.Config.Seed.Name, a.bundle.Seed.Admin).WritePortable(a.Paths.Kubeconfig("seed")),
		a.seedAs("node", a.bundle.Seed.Node).WriteKubeconfig(a.Paths.Kubeconfig("node")),
		a.seedAs("kube-scheduler", a.bundle.Seed.Scheduler).WriteKubeconfig(a.Paths.Kubeconfig("kube-scheduler")),
	)
}

// gardenUser is the way of users into the garden: through the front door.
func (a *appliance) gardenUser() pki.Access {
	return pki.Access{
		Name: "garden-" + a.Config.Name, Server: "https://" + frontDoorAddress(a.Config, a.ports["front-door"]),
		ServerName: a.gardenHost(), CA: a.bundle.Garden.CA, User: a.bundle.Garden.Admin,
	}
}

// gardenAs and seedAs are the direct ways of the landscape's own parts.
func (a *appliance) gardenAs(name string, user pki.Pair) pki.Access {
	return pki.Access{Name: name, Server: a.ports.url("garden-apiserver"), CA: a.bundle.Garden.CA, User: user}
}

func (a *appliance) seedAs(name string, user pki.Pair) pki.Access {
	return pki.Access{Name: name, Server: a.ports.url("seed-apiserver"), CA: a.bundle.Seed.CA, User: user}
}
