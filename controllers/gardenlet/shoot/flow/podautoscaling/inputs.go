package podautoscaling

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Autoscaling deploys the autoscalers of pods.
type Autoscaling struct {
	Shoot    *gardencorev1beta1.Shoot
	Space    seed.Space
	Exposure exposure.Shoot
	Replicas int32
}
