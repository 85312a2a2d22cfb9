package cleanup

import (
	"k8s.io/utils/clock"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Cleanup deletes the objects of users in a shoot.
type Cleanup struct {
	Shoot *gardencorev1beta1.Shoot
	Clock clock.PassiveClock
}
