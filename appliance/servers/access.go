// Package servers lists the servers of a landscape as parts: etcd, the garden, the runtime cluster, its network and the front
// doors. It composes the packages below embedded. It knows neither controllers nor the differences between seeds.
package servers

import (
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/embedded/diskspace"
	"github.com/gardener-up/gardener-up/embedded/node"
)

// Containers is what an embedded node does with containers that are not of the appliance image.
type Containers struct {
	Sandboxes bool         // nodes run them in gVisor
	Missing   bool         // nodes simulate those whose images cannot be pulled
	Mirrors   node.Mirrors // nodes ask them before the registries of images
	Outside   node.Outside // what containers reach outside
	// Begin is closed when pods of the embedded node may start; see node.Config.
	Begin <-chan struct{}
}

// Storage is what the etcds of a process have in common.
type Storage struct {
	Quota int64                            // of each etcd, in bytes
	Disk  *diskspace.Watch                 // of the state directory
	Fatal func(message string)             // see etcd.Config
	Note  func(name, cluster string) error // see state.State.NoteEtcd
}

// Cluster describes an embedded seed. It is empty beside a seed of another kind.
type Cluster struct{ Name, NodeIP, NameServerIP, PodCIDR, ServiceCIDR string }

// Access is how parts of this process reach the clusters whose API servers run in it.
type Access struct {
	Ports state.Ports
	PKI   *pki.Bundle
}

// Garden gives a user direct access to the garden's API server, without the front door.
func (a Access) Garden(name string, user pki.Pair) pki.Access {
	return pki.Access{Name: name, Server: a.Ports.URL(GardenAPIServer), ServerName: pki.InnerName, CA: a.PKI.Inner.CA, User: user}
}

// GardenClient is the configuration of clients that act for the landscape in the garden.
func (a Access) GardenClient() *rest.Config {
	return a.Garden("appliance", a.PKI.Garden.Appliance).Config()
}

// Seed gives a user direct access to the API server of the embedded seed.
func (a Access) Seed(name string, user pki.Pair) pki.Access {
	return pki.Access{Name: name, Server: a.Ports.URL(SeedAPIServer), CA: a.PKI.Seed.CA, User: user}
}

// SeedClient is the configuration of clients that act for the landscape in the embedded seed.
func (a Access) SeedClient() *rest.Config {
	return a.Seed("appliance", a.PKI.Seed.Appliance).Config()
}
