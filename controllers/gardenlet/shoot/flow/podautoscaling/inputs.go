package podautoscaling

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// Autoscaling deploys the autoscalers of pods.
type Autoscaling struct {
	Operation *operation.Operation
	Space     seed.Space
	Exposure  exposure.Shoot
	Replicas  int32
}
