package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// requested returns the operation that the gardenlet is asked for; empty if there is none. Maintenance is done by the controller manager,
// which then asks for what it needs. Were its request taken up here, maintenance would be lost whenever the gardenlet is quicker.
func requested(shoot *gardencorev1beta1.Shoot) string {
	operation := shoot.Annotations[constants.GardenerOperation]
	if operation == constants.ShootOperationMaintain {
		return ""
	}
	return operation
}

// takeUp removes the request for the operation that begins. A request that has replaced it since is left for the next run. A rotation
// of the SSH key that is deferred is asked for in the next maintenance window, unless something else is. The API server refuses a
// request for both times, so one write must do it.
func takeUp(annotations map[string]string, begins string, deferred bool) {
	if annotations[constants.GardenerOperation] != begins {
		return
	}
	delete(annotations, constants.GardenerOperation)
	if deferred && annotations[constants.GardenerMaintenanceOperation] == "" {
		annotations[constants.GardenerMaintenanceOperation] = constants.ShootOperationRotateSSHKeypair
	}
}

// clearTasks removes the requests that apply to one run only and that this run has fulfilled.
func (r *Reconciler) clearTasks(ctx context.Context, ran, current *gardencorev1beta1.Shoot) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		err := patch.Metadata(ctx, r.Garden, current, func() { current.Annotations = unfulfilled(current.Annotations, ran.Annotations) })
		if apierrors.IsConflict(err) {
			if failed := r.GardenReader.Get(ctx, client.ObjectKeyFromObject(ran), current); failed != nil {
				return failed
			}
		}
		return err
	})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove requests for one run from shoot: %w", err)
	}
	return nil
}

// unfulfilled returns the annotations without the requests for one run that are among those of a run. Requests that were made while it
// ran are for the next one.
func unfulfilled(current, ran map[string]string) map[string]string {
	rest := maps.Clone(current)
	done := strings.Split(ran[constants.ShootTasks], ",")
	tasks := slices.DeleteFunc(strings.Split(current[constants.ShootTasks], ","), func(task string) bool { return slices.Contains(done, task) })
	if left := strings.Join(tasks, ","); left != "" {
		rest[constants.ShootTasks] = left
	} else {
		delete(rest, constants.ShootTasks)
	}
	if skip, ok := ran[constants.ShootSkipReadiness]; ok && current[constants.ShootSkipReadiness] == skip {
		delete(rest, constants.ShootSkipReadiness)
	}
	return rest
}
