package seeds

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

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
	if err := Ready(all(gardencorev1beta1.ConditionTrue), nil); err != nil {
		t.Error(err)
	}
	starting := all(gardencorev1beta1.ConditionTrue)
	starting.Status.Conditions[3].Status = gardencorev1beta1.ConditionProgressing
	if err := Ready(starting, nil); err != nil {
		t.Errorf("a seed whose components are being started: %v", err)
	}
	bootstrapping := all(gardencorev1beta1.ConditionTrue)
	bootstrapping.Status.Conditions[0].Status = gardencorev1beta1.ConditionProgressing
	for name, seed := range map[string]*gardencorev1beta1.Seed{"no conditions": {}, "a condition that is False": all(gardencorev1beta1.ConditionFalse), "a bootstrap that goes on": bootstrapping} {
		if err := Ready(seed, nil); err == nil {
			t.Errorf("%s: want an error that names it", name)
		}
	}
}

func TestSeedIsReadyWhileAnExtensionOfOthersIsBroken(t *testing.T) {
	seed := &gardencorev1beta1.Seed{}
	seed.Name = "one"
	for _, kind := range []gardencorev1beta1.ConditionType{"Bootstrapped", "GardenletReady", "SeedSystemComponentsHealthy"} {
		seed.Status.Conditions = append(seed.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: gardencorev1beta1.ConditionTrue})
	}
	seed.Status.Conditions = append(seed.Status.Conditions, gardencorev1beta1.Condition{Type: "ExtensionsReady", Status: gardencorev1beta1.ConditionFalse})
	installation := func(registration, seed string, healthy gardencorev1beta1.ConditionStatus) gardencorev1beta1.ControllerInstallation {
		out := gardencorev1beta1.ControllerInstallation{}
		out.Spec.RegistrationRef.Name, out.Spec.SeedRef = registration, &corev1.ObjectReference{Name: seed}
		for kind, status := range map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{"Valid": "True", "Installed": "True", "Healthy": healthy} {
			out.Status.Conditions = append(out.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: status})
		}
		return out
	}
	broken := installation("somebody's", "one", "False")
	for name, tc := range map[string]struct {
		provider gardencorev1beta1.ControllerInstallation
		ready    bool
	}{
		"the provider works":                 {installation("provider-local", "one", "True"), true},
		"the provider is broken":             {installation("provider-local", "one", "False"), false},
		"the provider works in another seed": {installation("provider-local", "two", "True"), false},
	} {
		t.Run(name, func(t *testing.T) {
			err := Ready(seed, []gardencorev1beta1.ControllerInstallation{broken, tc.provider})
			if (err == nil) != tc.ready {
				t.Errorf("got %v, want ready=%v", err, tc.ready)
			}
		})
	}
}
