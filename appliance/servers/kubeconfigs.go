package servers

import (
	"errors"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
)

// CredentialVerb is the verb of this binary that kubeconfigs of operators name.
const CredentialVerb = "credential"

// Kubeconfigs are what is known of the files in which a process keeps ways to its clusters.
type Kubeconfigs struct {
	Access
	Door      Door
	Paths     paths.Paths
	Landscape string // its name
	SeedName  string // of the embedded seed
}

// WriteGarden writes the kubeconfig by which operators reach the garden through the front door (garden.yaml), and
// the settings of the garden's API server that name a kubeconfig.
func (in Kubeconfigs) WriteGarden() error {
	return errors.Join(in.writeAuthorization(in.Paths), in.writeTokenWebhook(in.Paths), in.writeForOperators(pki.GardenCluster, pki.Access{
		Name: "garden-" + in.Landscape, Server: "https://" + in.Door.Address(), ServerName: GardenHostname(in.Door.Domain), CA: in.PKI.Garden.CA,
	}))
}

// WriteSeed writes the kubeconfig of operators of the embedded seed (seed.yaml) and those of its own parts.
func (in Kubeconfigs) WriteSeed() error {
	return errors.Join(
		in.writeForOperators(pki.SeedCluster, in.seedAccess(pki.Pair{})),
		in.Seed("node", in.PKI.Seed.Node).WriteKubeconfig(in.Paths.Kubeconfig("node")),
		in.Seed("kube-scheduler", in.PKI.Seed.Scheduler).WriteKubeconfig(in.Paths.Kubeconfig("kube-scheduler")),
	)
}

// WriteLandscape writes the kubeconfig by which the landscape reaches the cluster of an own seed (landscape.yaml).
func (in Kubeconfigs) WriteLandscape() error {
	return in.seedAccess(in.PKI.Seed.Appliance).WritePortable(in.Paths.Kubeconfig("landscape"))
}

func (in Kubeconfigs) seedAccess(user pki.Pair) pki.Access {
	return in.Seed("seed-"+in.SeedName, user)
}

// writeForOperators writes a kubeconfig that runs this binary for each client. A copy is useless to anybody
// who cannot open the control socket.
func (in Kubeconfigs) writeForOperators(cluster string, way pki.Access) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("write kubeconfig of the %s: %w", cluster, err)
	}
	return way.WriteForOperators(in.Paths.Kubeconfig(cluster), binary, CredentialVerb, cluster, "--state-dir", in.Paths.Root())
}
