package servers

import (
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/embedded/dns"
)

// GardenInputs are what the servers of the garden need in addition to Inputs.
type GardenInputs struct {
	Inputs
	Settings  config.Garden // of the user
	ClusterID string        // identity of the garden
	Zone      *dns.Zone     // records of shoots
	Admission *Admission
}
