package appliance

import (
	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// Options of Run and RunCluster.
type Options struct {
	Config  *config.Landscape // defaulted and valid
	Paths   paths.Paths
	Version string // of the appliance
	Log     logr.Logger
	// SetResolver makes the process resolve names through the DNS server at the address. The names of Services of the
	// embedded seed are known there only.
	SetResolver func(address string)
	// Settled is called once all is ready and the work of starting is done.
	Settled func()
}
