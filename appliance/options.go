package appliance

import (
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// Options of Run and RunCluster.
type Options struct {
	Config  *config.Landscape // defaulted and valid
	Paths   paths.Paths
	Shared  paths.Shared // of the landscape
	Version string       // of the appliance
	Log     logr.Logger
	// SetResolver makes the process resolve names through the DNS server at the address. Only that server knows the Services
	// of the embedded seed.
	SetResolver func(address string)
	// Note keeps the first reason why the process ends. It is called before anything is stopped because of it.
	Note func(error)
	// Fatal does the same for a library that ends the process itself after that.
	Fatal func(message string)
	// Asked is called when the end of the process was asked for. What libraries end the process for after that is no reason.
	Asked func()
	// StartTimeout is how long each part may take to become ready, if that is longer than the time of the part.
	StartTimeout time.Duration
	// SimulatedBecause says why containers are simulated although the configuration does not ask for that. It is empty otherwise.
	SimulatedBecause string
	// OneUserBecause says why root is the only user of containers that owns files in volumes. It is empty otherwise.
	OneUserBecause string
	// Settled is called when all parts are ready and the work of starting is done.
	Settled func()
}
