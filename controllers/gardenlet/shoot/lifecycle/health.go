package lifecycle

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// SetHealthLabel writes the health of the Shoot, according to its status, into its label.
func SetHealthLabel(ctx context.Context, garden client.Client, shoot *gardencorev1beta1.Shoot) error {
	health := Health(&shoot.Status)
	if shoot.Labels[constants.ShootStatus] == health {
		return nil
	}
	change := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, constants.ShootStatus, health)
	if err := garden.Patch(ctx, shoot.DeepCopy(), client.RawPatch("application/merge-patch+json", change)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("label shoot with its health: %w", err)
	}
	return nil
}

// Health returns the value of the health label of the Shoot for users and dashboards: the worst of its conditions.
func Health(status *gardencorev1beta1.ShootStatus) string {
	last := status.LastOperation
	if last == nil {
		return constants.ShootStatusHealthy
	}
	failed := last.State == gardencorev1beta1.LastOperationStateError || last.State == gardencorev1beta1.LastOperationStateFailed || len(status.LastErrors) > 0
	unfinished := last.State != gardencorev1beta1.LastOperationStateSucceeded
	if unfinished && (last.Type == gardencorev1beta1.LastOperationTypeCreate || last.Type == gardencorev1beta1.LastOperationTypeDelete) {
		if failed {
			return constants.ShootStatusUnhealthy
		}
		return constants.ShootStatusHealthy // an operation in progress is no problem
	}
	worst := 0
	order := []string{constants.ShootStatusHealthy, constants.ShootStatusProgressing, constants.ShootStatusUnknown, constants.ShootStatusUnhealthy}
	rank := map[gardencorev1beta1.ConditionStatus]int{
		gardencorev1beta1.ConditionTrue: 0, gardencorev1beta1.ConditionProgressing: 1,
		gardencorev1beta1.ConditionUnknown: 2, gardencorev1beta1.ConditionFalse: 3,
	}
	for _, condition := range status.Conditions {
		worst = max(worst, rank[condition.Status])
	}
	if failed {
		worst = 3
	}
	return order[worst]
}
