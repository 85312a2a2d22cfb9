package seed

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	reasonBootstrapping   = "BootstrapProgressing"
	reasonBootstrapped    = "BootstrappingSucceeded"
	reasonBootstrapFailed = "BootstrappingFailed"
	reasonVersionMismatch = "VersionMismatch"
)

// Resources limits what the seed can hold.
type Resources struct {
	Capacity, Reserved corev1.ResourceList
}

// Allocatable is the capacity minus the reserved resources.
func (r Resources) Allocatable() corev1.ResourceList {
	if r.Capacity == nil {
		return nil
	}
	allocatable := r.Capacity.DeepCopy()
	for name, reserved := range r.Reserved {
		if quantity, found := allocatable[name]; found {
			quantity.Sub(reserved)
			allocatable[name] = quantity
		}
	}
	return allocatable
}

// operation sets the last operation. Its time changes only if the operation changes.
func (r *Reconciler) operation(seed *gardencorev1beta1.Seed, kind gardencorev1beta1.LastOperationType, state gardencorev1beta1.LastOperationState, progress int32, description string) {
	last := seed.Status.LastOperation
	if last != nil && last.Type == kind && last.State == state && last.Progress == progress && last.Description == description {
		return
	}
	seed.Status.LastOperation = &gardencorev1beta1.LastOperation{
		Type: kind, State: state, Progress: progress, Description: description, LastUpdateTime: metav1.NewTime(r.Clock.Now()),
	}
}

func (r *Reconciler) condition(seed *gardencorev1beta1.Seed, kind gardencorev1beta1.ConditionType, finding conditions.Finding) {
	seed.Status.Conditions = conditions.Set(seed.Status.Conditions, kind, finding, r.Clock.Now())
}

// certificateEnd is asked for each time, since the certificate is renewed while the gardenlet runs.
func (r *Reconciler) certificateEnd() *metav1.Time {
	if r.Credentials == nil {
		return nil
	}
	return &metav1.Time{Time: r.Credentials.Expires()}
}
