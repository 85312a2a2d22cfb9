package seeds

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local"
)

// Usable reads the installations of the seed from the garden and names the first condition that a usable seed lacks; see Ready.
func Usable(ctx context.Context, garden client.Reader, object *gardencorev1beta1.Seed) error {
	installations := &gardencorev1beta1.ControllerInstallationList{}
	if err := garden.List(ctx, installations); err != nil {
		return fmt.Errorf("list controller installations: %w", err)
	}
	return Ready(object, installations.Items)
}

// Ready names the first condition that a usable seed lacks. A seed is usable while its system components are still starting: the
// workloads that they protect are protected before they run. It is also usable while an extension that somebody has added does not
// work: that concerns only the shoots that need this extension.
func Ready(object *gardencorev1beta1.Seed, installations []gardencorev1beta1.ControllerInstallation) error {
	for _, kind := range []gardencorev1beta1.ConditionType{
		gardencorev1beta1.SeedBootstrapped, gardencorev1beta1.SeedGardenletReady, gardencorev1beta1.SeedExtensionsReady, gardencorev1beta1.SeedSystemComponentsHealthy,
	} {
		found := false
		for _, condition := range object.Status.Conditions {
			if condition.Type != kind {
				continue
			}
			starting := kind == gardencorev1beta1.SeedSystemComponentsHealthy && condition.Status == gardencorev1beta1.ConditionProgressing
			added := kind == gardencorev1beta1.SeedExtensionsReady && providerWorks(object.Name, installations)
			if found = true; condition.Status != gardencorev1beta1.ConditionTrue && !starting && !added {
				return fmt.Errorf("seed %q: %s is %s: %s", object.Name, kind, condition.Status, condition.Message)
			}
		}
		if !found {
			return fmt.Errorf("seed %q: %s is not reported yet", object.Name, kind)
		}
	}
	return nil
}

// BrokenExtensions says which extensions of a seed do not work, and returns nil if all of them do.
func BrokenExtensions(object *gardencorev1beta1.Seed) error {
	for _, condition := range object.Status.Conditions {
		if condition.Type == gardencorev1beta1.SeedExtensionsReady && condition.Status != gardencorev1beta1.ConditionTrue {
			return fmt.Errorf("%s is %s: %s", condition.Type, condition.Status, condition.Message)
		}
	}
	return nil
}

// providerWorks reports whether the provider of the landscape works in the seed.
func providerWorks(seed string, installations []gardencorev1beta1.ControllerInstallation) bool {
	for i := range installations {
		spec, missing := &installations[i].Spec, map[gardencorev1beta1.ConditionType]bool{
			gardencorev1beta1.ControllerInstallationValid: true, gardencorev1beta1.ControllerInstallationInstalled: true, gardencorev1beta1.ControllerInstallationHealthy: true,
		}
		if spec.RegistrationRef.Name != local.Name || spec.SeedRef == nil || spec.SeedRef.Name != seed {
			continue
		}
		for _, condition := range installations[i].Status.Conditions {
			if condition.Status == gardencorev1beta1.ConditionTrue {
				delete(missing, condition.Type)
			}
		}
		return len(missing) == 0
	}
	return false
}
