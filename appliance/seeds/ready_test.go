package seeds

import (
	"testing"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestSeedReady(t *testing.T) {
	all := func(status gardencorev1beta1.ConditionStatus) *gardencorev1beta1.Seed {
		seed := &gardencorev1beta1.Seed{}
		for _, kind := range []gardencorev1beta1.ConditionType{"Bootstrapped", "GardenletReady", "ExtensionsReady", "SeedSystemComponentsHealthy"} {
			seed.Status.Conditions = append(seed.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: status, Message: "why"})
		}
		return seed
	}
	if err := Ready(all(gardencorev1beta1.ConditionTrue)); err != nil {
		t.Error(err)
	}
	starting := all(gardencorev1beta1.ConditionTrue)
	starting.Status.Conditions[3].Status = gardencorev1beta1.ConditionProgressing
	if err := Ready(starting); err != nil {
		t.Errorf("a seed whose components are being started: %v", err)
	}
	bootstrapping := all(gardencorev1beta1.ConditionTrue)
	bootstrapping.Status.Conditions[0].Status = gardencorev1beta1.ConditionProgressing
	for name, seed := range map[string]*gardencorev1beta1.Seed{"no conditions": {}, "a condition that is False": all(gardencorev1beta1.ConditionFalse), "a bootstrap that goes on": bootstrapping} {
		if err := Ready(seed); err == nil {
			t.Errorf("%s: want an error that names it", name)
		}
	}
}
