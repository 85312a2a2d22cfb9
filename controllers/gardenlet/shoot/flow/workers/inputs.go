package workers

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// OperatingSystems are the objects that specify the content of the machines of every pool.
type OperatingSystems struct {
	Shoot    *gardencorev1beta1.Shoot
	Networks operation.Networks
	// CABundle contains the certificates that nodes trust beside those of their system; nil for none.
	CABundle *string
	Space    seed.Space
	Exposure exposure.Shoot
}

// key returns the key of the content of the machines of a pool.
func key(shoot *gardencorev1beta1.Shoot, worker gardencorev1beta1.Worker) string {
	return operatingsystemconfig.Key(worker, operation.KubeletVersion(shoot, worker), helper.WantsNodeLocalDNS(shoot))
}

// Workers is the object that requests the machines of all pools from a provider.
type Workers struct {
	Shoot *gardencorev1beta1.Shoot
	// MachineTypes of the cloud profile.
	MachineTypes []gardencorev1beta1.MachineType
	Space        seed.Space
}
