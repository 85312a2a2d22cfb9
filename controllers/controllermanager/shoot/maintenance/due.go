package maintenance

import (
	"fmt"
	"strings"
	"time"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Timing says which kind of maintenance may be done with a Shoot now.
type Timing struct {
	Due bool // all maintenance
	// Late means that maintenance in this window has found nothing to update. New versions that were published since
	// then need not wait for the next day.
	Late bool
	Wait time.Duration // time until the next window begins; 0 if there is none
}

// TimingOf evaluates the request of the user and the maintenance window. A Shoot that is still being created is left
// alone.
func TimingOf(shoot *gardencorev1beta1.Shoot, now time.Time) (Timing, error) {
	asked := shoot.Annotations[constants.GardenerOperation] == constants.ShootOperationMaintain
	if shoot.Spec.Maintenance == nil || shoot.Spec.Maintenance.TimeWindow == nil {
		return Timing{Due: asked}, nil
	}
	window, err := helper.ParseTimeWindow(*shoot.Spec.Maintenance.TimeWindow)
	if err != nil {
		return Timing{Due: asked}, fmt.Errorf("read maintenance window: %w", err)
	}
	timing := Timing{Due: asked, Wait: window.NextBegin(now).Sub(now)}
	if asked || !window.Contains(now) || isBeingMade(shoot) {
		return timing, nil
	}
	last := shoot.Status.LastMaintenance
	begin := window.NextBegin(now.Add(-24 * time.Hour)) // of this window
	timing.Due = last == nil || last.TriggeredTime.Time.Before(begin)
	timing.Late = !timing.Due && strings.HasPrefix(last.Description, nothingChanged)
	return timing, nil
}

func isBeingMade(shoot *gardencorev1beta1.Shoot) bool {
	last := shoot.Status.LastOperation
	if last == nil {
		return true
	}
	return last.Type == gardencorev1beta1.LastOperationTypeCreate &&
		(last.State == gardencorev1beta1.LastOperationStateProcessing || last.State == gardencorev1beta1.LastOperationStatePending)
}
