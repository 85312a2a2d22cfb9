package dns

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Records are the DNS records of a shoot.
type Records struct {
	Shoot    *gardencorev1beta1.Shoot
	Space    seed.Space
	Exposure exposure.Shoot
	// TTL in seconds.
	TTL int64
	// Owner is the identity of the seed, for the record that says which seed is responsible; empty if the shoot has no such record.
	Owner string
	// NextOwner is the identity of the seed that the shoot moves to; empty if it does not move.
	NextOwner string
	// Published is called when the record names Owner. It may be nil.
	Published func()
}
