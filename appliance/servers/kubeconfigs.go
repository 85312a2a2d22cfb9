package servers

import (
	"errors"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/pki"
)

// CredentialVerb is the verb of this binary that kubeconfigs of operators name.
const CredentialVerb = "credential"

// WriteGardenKubeconfigs writes the kubeconfig by which operators reach the garden through the front door (garden.yaml), and
// the settings of the garden's API server that name a kubeconfig.
func (in Inputs) WriteGardenKubeconfigs() error {
	return errors.Join(in.writeAuthorization(), in.writeTokenWebhook(), in.writeForOperators(pki.GardenCluster, pki.Access{
		Name: "garden-" + in.Landscape, Server: "https://" + in.FrontDoorAddress(), ServerName: GardenHostname(in.Domains.Garden), CA: in.PKI.Garden.CA,
	}))
}

// WriteSeedKubeconfigs writes the kubeconfig of operators of the embedded seed (seed.yaml) and those of its own parts.
func (in Inputs) WriteSeedKubeconfigs() error {
	return errors.Join(
		in.writeForOperators(pki.SeedCluster, in.seedAccess(pki.Pair{})),
		in.Seed("node", in.PKI.Seed.Node).WriteKubeconfig(in.Paths.Kubeconfig("node")),
		in.Seed("kube-scheduler", in.PKI.Seed.Scheduler).WriteKubeconfig(in.Paths.Kubeconfig("kube-scheduler")),
	)
}

// WriteLandscapeKubeconfig writes the kubeconfig by which the landscape reaches the cluster of an own seed (landscape.yaml).
func (in Inputs) WriteLandscapeKubeconfig() error {
	return in.seedAccess(in.PKI.Seed.Appliance).WritePortable(in.Paths.Kubeconfig("landscape"))
}

func (in Inputs) seedAccess(user pki.Pair) pki.Access {
	return in.Seed("seed-"+in.Cluster.Name, user)
}

// writeForOperators writes a kubeconfig that runs this binary for each client. A copy is useless to anybody
// who cannot open the control socket.
func (in Inputs) writeForOperators(cluster string, way pki.Access) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("write kubeconfig of the %s: %w", cluster, err)
	}
	return way.WriteForOperators(in.Paths.Kubeconfig(cluster), binary, CredentialVerb, cluster, "--state-dir", in.Paths.Root())
}
