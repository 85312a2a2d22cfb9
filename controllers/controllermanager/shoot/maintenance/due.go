package maintenance

import (
	"fmt"
	"strings"
	"time"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Timing says what may be done with a Shoot now.
type Timing struct {
	Due bool // everything
	// Late means that maintenance was done in this window already and found nothing to update: versions that have come
	// since need not wait for the next day.
	Late bool
	Wait time.Duration // until the next window begins; 0: there is none
}

// TimingOf looks at the request of the user and at the window. A Shoot that is still being made is left alone.
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
