package own

import (
	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// stage is how far an own seed is in the garden.
type stage int

const (
	seedMissing    stage = iota // is to be registered
	seedRegistered              // is to be kept
	seedLeaving                 // is being deleted
	seedGone                    // was deleted, by whomever
)

// stageOf judges by the Seed, nil if there is none, what is noted of it, and the UID of the garden. A Seed that was
// registered and is missing was deleted, be it while nobody looked, unless the garden is another one since.
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
