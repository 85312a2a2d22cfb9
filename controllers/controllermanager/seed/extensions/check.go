// Package extensions maintains the condition ExtensionsReady of Seeds. It reports whether all ControllerInstallations
// of the seed work.
package extensions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// aspect is the expected state of one condition of an installation. Problems are reported in the order of the aspects.
type aspect struct {
	condition gardencorev1beta1.ConditionType
	want      gardencorev1beta1.ConditionStatus
	reason    string // message if an installation does not have it
	message   string
}

var aspects = []aspect{
	{gardencorev1beta1.ControllerInstallationValid, gardencorev1beta1.ConditionTrue, "NotAllExtensionsValid", "Some extensions are not valid"},
	{gardencorev1beta1.ControllerInstallationInstalled, gardencorev1beta1.ConditionTrue, "NotAllExtensionsInstalled", "Some extensions are not installed"},
	{gardencorev1beta1.ControllerInstallationHealthy, gardencorev1beta1.ConditionTrue, "NotAllExtensionsHealthy", "Some extensions are not healthy"},
	{gardencorev1beta1.ControllerInstallationProgressing, gardencorev1beta1.ConditionFalse, "SomeExtensionsProgressing", "Some extensions are still being rolled out"},
}

// Check returns the finding for the installations of a seed.
func Check(seed string, installations []gardencorev1beta1.ControllerInstallation) conditions.Finding {
	for _, aspect := range aspects {
		var bad []string
		for i := range installations {
			installation := &installations[i]
			if installation.Spec.SeedRef == nil || installation.Spec.SeedRef.Name != seed || installation.DeletionTimestamp != nil {
				continue
			}
			if problem := aspect.problem(installation); problem != "" {
				bad = append(bad, fmt.Sprintf("%s (%s)", installation.Name, problem))
			}
		}
		if len(bad) > 0 {
			slices.Sort(bad)
			return conditions.False(aspect.reason, aspect.message+": "+strings.Join(bad, ", "))
		}
	}
	return conditions.True("AllExtensionsReady", "All extensions installed into the seed cluster are ready and healthy.")
}

func (a aspect) problem(installation *gardencorev1beta1.ControllerInstallation) string {
	condition := conditions.Get(installation.Status.Conditions, a.condition)
	switch {
	case condition == nil:
		return "not reported yet"
	case condition.Status != a.want:
		return condition.Message
	default:
		return ""
	}
}
