package own

import (
	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// stage is the state of an own seed in the garden.
type stage int

const (
	seedMissing    stage = iota // is to be registered
	seedRegistered              // is to be kept
	seedLeaving                 // is being deleted
	seedGone                    // was deleted, by the landscape or a user
)

// stageOf decides by the Seed (nil if it does not exist), the record in the store, and the UID of the garden. A Seed that was
// registered and is missing has been deleted, perhaps while the landscape was down, unless the garden is new since then.
func stageOf(seed *gardencorev1beta1.Seed, noted store.Seed, garden string) stage {
	switch {
	case seed == nil && (noted.Removing || noted.Garden == garden):
		return seedGone
	case seed == nil:
		return seedMissing
	case seed.DeletionTimestamp != nil:
		return seedLeaving
	}
	return seedRegistered
}
