package embedded

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/gardenservice"
	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local"
	localdns "github.com/gardener-up/gardener-up/local/dns"
)

// Hosting hosts a seed on a cluster that this binary runs in another process.
type Hosting struct {
	Zone               localdns.Zone        // as the seed may change it
	BackupDir, Volumes string               // directories of the local provider
	ShootVolumes       string               // the same, for volumes of shoots, which nodes of another landscape do not use
	FrontDoorOfCluster string               // host:port
	Image              string               // the appliance image
	Signer             *podsignature.Signer // of pods; nil if the cluster is not one of this landscape
	Doors              exposure.Doors       // of shoots; nil for none
	NameServer         string               // host:port of the one that serves Zone
}

// Prepare implements remote.Hosting; the nodes are ready as they are.
func (Hosting) Prepare(context.Context) error { return nil }

// Leave implements remote.Hosting.
func (Hosting) Leave(context.Context) error { return nil }

// Stop implements remote.Hosting; machines end with the other process.
func (Hosting) Stop(context.Context) error { return nil }

// FrontDoor implements remote.Hosting.
func (h Hosting) FrontDoor(context.Context) (string, error) { return h.FrontDoorOfCluster, nil }

// CallsBack implements remote.Hosting.
func (Hosting) CallsBack() bool { return true }

// Calls implements remote.Hosting.
func (Hosting) Calls(string) webhook.Way { return webhook.Way{} }

// Pods implements remote.Hosting.
func (h Hosting) Pods() *podsignature.Signer { return h.Signer }

// OwnerServer implements remote.Hosting, as First.OwnerServer.
func (Hosting) OwnerServer() string { return "" }

// Backups implements remote.Hosting. Only pods of this landscape's own clusters are processes of this machine.
func (h Hosting) Backups() string {
	if h.Signer == nil {
		return ""
	}
	return h.BackupDir
}

// Adapt makes the gardenlet reach shoots through the seed's front door: the names of the seed's Services do not resolve in this process.
func (h Hosting) Adapt(c *gardenlet.Config) {
	c.Doors = h.Doors
	if c.Garden != nil && h.Signer != nil { // a cluster of another landscape does not know the garden
		c.GardenInSeed = gardenservice.InSeed(*c.Garden)
	}
	c.ShootConfig = h.shootConfig
}

func (h Hosting) shootConfig(kubeconfig []byte) (*rest.Config, error) {
	return entry.ShootConfig(h.FrontDoor, kubeconfig)
}

// AddProvider implements remote.Hosting.
func (h Hosting) AddProvider(mgr manager.Manager) error {
	return local.AddToManager(mgr, local.Config{
		Zone: h.Zone, BackupDir: h.BackupDir, VolumeDir: h.Volumes, ShootVolumeDir: h.ShootVolumes, Image: h.Image, Pods: h.Signer, Resolver: dns.Resolver(h.NameServer),
		Webhook: h.Calls(callback.ProviderLocal), ShootConfig: h.shootConfig,
	})
}
