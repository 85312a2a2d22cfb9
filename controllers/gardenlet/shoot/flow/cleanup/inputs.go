package cleanup

import (
	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// Cleanup deletes the objects of users in a shoot.
type Cleanup struct {
	Operation *operation.Operation
	Clock     clock.PassiveClock
}
