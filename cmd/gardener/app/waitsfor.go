package app

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// waitsFor says what a shoot waits for between two operations, and after the last one; empty if an operation runs, or if nothing is missing.
// notTrue are the conditions that are not True.
func waitsFor(shoot *gardencorev1beta1.Shoot, notTrue []string) string {
	last, seed := shoot.Status.LastOperation, ptr.Deref(shoot.Spec.SeedName, "")
	wanted := shoot.Annotations[constants.GardenerOperation]
	switch {
	case seed == "":
		return "Waiting until the scheduler finds a seed"
	case last == nil:
		return fmt.Sprintf("Waiting until the gardenlet of seed %s begins", seed)
	case last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return ""
	case wanted != "":
		return fmt.Sprintf("Waiting until the operation %q begins", wanted)
	case shoot.Status.ObservedGeneration != shoot.Generation:
		return fmt.Sprintf("Waiting until the gardenlet of seed %s begins the change", seed)
	case len(notTrue) > 0:
		return "Waiting for the conditions " + strings.Join(notTrue, ", ")
	}
	return ""
}
