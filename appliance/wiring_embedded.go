package appliance

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/local"
)

// embeddedNodes is the range of nodes' addresses as the API sees it: outside of the pods' range, though nodes take their
// addresses from that.
const embeddedNodes = "127.0.0.0/24"

// embeddedSeed is a seed in this process; its pods and the nodes of shoots are processes.
type embeddedSeed struct {
	a    *appliance
	zone *dns.Zone
}

func (e embeddedSeed) parts() ([]component.Part, error) {
	network, err := e.a.network(e.zone)
	return append(e.a.seedServers(), network...), err
}

func (e embeddedSeed) before() []string { return []string{"resolver"} }

func (e embeddedSeed) beside() []string { return []string{"node"} }

func (e embeddedSeed) config() (*rest.Config, error) {
	return e.a.seedAs("appliance", e.a.bundle.Seed.Appliance).Config(), nil
}

func (e embeddedSeed) name() string { return e.a.Config.Seed.Name }

func (e embeddedSeed) gardenlet() (*config.GardenletConfiguration, error) {
	return e.a.gardenletConfiguration(embeddedNodes)
}

func (e embeddedSeed) user() (pki.Pair, error) { return e.a.bundle.Gardenlet, nil }

func (e embeddedSeed) callsBack() bool { return true }

// adapt has little to do: names of Services mean the same here as in the seed.
func (e embeddedSeed) adapt(c *gardenlet.Config) { c.Handlers = true }

func (e embeddedSeed) addProvider(mgr manager.Manager) error {
	return local.AddToManager(mgr, local.Config{Zone: e.zone, BackupDir: e.a.Paths.Backups(), VolumeDir: e.a.Paths.Volumes()})
}
