package appliance

import (
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/local"
)

// kubeconfigSeed is an embedded cluster of another process, whose Seed is in the garden already and names a kubeconfig.
type kubeconfigSeed struct {
	a      *appliance
	zone   *dns.Zone
	object *gardencorev1beta1.Seed
	access *rest.Config
	ways   ways
}

func (k kubeconfigSeed) name() string { return k.object.Name }

func (k kubeconfigSeed) config() (*rest.Config, error) { return k.access, nil }

func (k kubeconfigSeed) gardenlet() (*config.GardenletConfiguration, error) {
	return k.a.gardenletConfigurationOf(k.object)
}

func (k kubeconfigSeed) user() (pki.Pair, error) { return k.a.pki.Gardenlet(k.object.Name) }

func (k kubeconfigSeed) callsBack() bool { return true }

// adapt makes the gardenlet reach shoots through the seed's front door: the names of the seed's Services mean nothing here.
func (k kubeconfigSeed) adapt(c *gardenlet.Config) {
	c.ShootConfig = func(kubeconfig []byte) (*rest.Config, error) { return shootConfigVia(k.ways.frontDoor, kubeconfig) }
}

func (k kubeconfigSeed) addProvider(mgr manager.Manager) error {
	return local.AddToManager(mgr, local.Config{
		Zone: k.zone, BackupDir: k.a.Paths.Backups(), VolumeDir: k.a.Paths.Seed(k.object.Name).Volumes(),
	})
}
