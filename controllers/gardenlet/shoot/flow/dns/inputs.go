package dns

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// Records are the DNS records of a shoot.
type Records struct {
	Operation *operation.Operation
	Space     seed.Space
	Exposure  exposure.Shoot
	// TTL in seconds.
	TTL int64
}
