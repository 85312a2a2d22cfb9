package servers

import (
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// NetworkInputs are what the network of an embedded seed needs in addition to Inputs.
type NetworkInputs struct {
	Inputs
	Version     string // of the appliance
	NameServer  *dns.Server
	SetResolver func(address string)
	FrontDoors  FrontDoors
	Garden      string // host:port of the front door of the garden
}
