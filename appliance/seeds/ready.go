package seeds

import (
	"fmt"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Ready names the first condition that a usable seed lacks. A seed is usable while its system components are still starting: the
// workloads that they protect are protected before they run.
func Ready(object *gardencorev1beta1.Seed) error {
	for _, kind := range []gardencorev1beta1.ConditionType{
		gardencorev1beta1.SeedBootstrapped, gardencorev1beta1.SeedGardenletReady, gardencorev1beta1.SeedExtensionsReady, gardencorev1beta1.SeedSystemComponentsHealthy,
	} {
		found := false
		for _, condition := range object.Status.Conditions {
			if condition.Type != kind {
				continue
			}
			starting := kind == gardencorev1beta1.SeedSystemComponentsHealthy && condition.Status == gardencorev1beta1.ConditionProgressing
			if found = true; condition.Status != gardencorev1beta1.ConditionTrue && !starting {
				return fmt.Errorf("seed %q: %s is %s: %s", object.Name, kind, condition.Status, condition.Message)
			}
		}
		if !found {
			return fmt.Errorf("seed %q: %s is not reported yet", object.Name, kind)
		}
	}
	return nil
}
