package appliance

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/local"
)

// kubeconfigSeed is a cluster of somebody else, whose Seed is in the garden already and names a kubeconfig.
type kubeconfigSeed struct {
	hosting
	a      *appliance
	object *gardencorev1beta1.Seed
	access *rest.Config
}

func (k kubeconfigSeed) name() string { return k.object.Name }

func (k kubeconfigSeed) config() (*rest.Config, error) { return k.access, nil }

func (k kubeconfigSeed) gardenlet() (*config.GardenletConfiguration, error) {
	return k.a.gardenletConfigurationOf(k.object)
}

func (k kubeconfigSeed) user() (pki.Pair, error) { return k.a.pki.Gardenlet(k.object.Name) }

// hosting is what it takes to host shoots in a cluster that somebody else has made, which depends on its nodes.
type hosting interface {
	// prepare makes the nodes able to run what a seed consists of, leave takes that back. Both may be repeated.
	prepare(context.Context) error
	leave(context.Context) error
	// frontDoor is host:port of the front door to the cluster's shoots, as this process reaches it.
	frontDoor(context.Context) (string, error)
	// callsBack, adapt and addProvider are those of a seed.
	callsBack() bool
	adapt(*gardenlet.Config)
	addProvider(manager.Manager) error
	// stop stops what runs beside the cluster, as the landscape stops.
	stop(context.Context) error
}

// embeddedCluster is hosting by a cluster of this binary in another process.
type embeddedCluster struct {
	a    *appliance
	zone *dns.Zone
	seed string
	ways ways
}

func (embeddedCluster) prepare(context.Context) error { return nil }

func (embeddedCluster) leave(context.Context) error { return nil }

func (embeddedCluster) stop(context.Context) error { return nil }

func (e embeddedCluster) frontDoor(context.Context) (string, error) { return e.ways.frontDoor, nil }

func (embeddedCluster) callsBack() bool { return true }

// adapt makes the gardenlet reach shoots through the seed's front door: the names of the seed's Services mean nothing here.
func (e embeddedCluster) adapt(c *gardenlet.Config) {
	c.ShootConfig = func(kubeconfig []byte) (*rest.Config, error) { return shootConfigVia(e.frontDoor, kubeconfig) }
}

func (e embeddedCluster) addProvider(mgr manager.Manager) error {
	return local.AddToManager(mgr, local.Config{
		Zone: e.zone, BackupDir: e.a.Paths.Backups(), VolumeDir: e.a.Paths.Seed(e.seed).Volumes(),
	})
}
