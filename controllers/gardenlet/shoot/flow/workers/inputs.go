package workers

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// OperatingSystems are the objects that specify the content of the machines of every pool.
type OperatingSystems struct {
	Operation *operation.Operation
	Space     seed.Space
	Exposure  exposure.Shoot
}

// key returns the key of the content of the machines of a pool.
func key(op *operation.Operation, worker gardencorev1beta1.Worker) string {
	return operatingsystemconfig.Key(worker, operation.KubeletVersion(op.Shoot, worker), op.NodeLocalDNS())
}

// Workers is the object that requests the machines of all pools from a provider.
type Workers struct {
	Operation *operation.Operation
	Space     seed.Space
}
