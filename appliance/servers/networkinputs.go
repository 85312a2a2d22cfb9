package servers

import (
	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// NetworkInputs are what the network of an embedded seed and its node need.
type NetworkInputs struct {
	Access
	Door        Door
	Cluster     Cluster
	Containers  Containers
	Image       string // the appliance image
	Version     string // of the appliance
	Paths       paths.Paths
	Shared      paths.Shared // of the landscape
	Log         logr.Logger
	NameServer  *dns.Server
	SetResolver func(address string)
	FrontDoors  FrontDoors
	Choice      string // of the landscape, by flags of commands, each after a space
	Garden      string // host:port of the front door of the garden
}
