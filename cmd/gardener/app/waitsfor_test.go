package app

import (
	"testing"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestWaitsFor(t *testing.T) {
	shoot := func(change func(*gardencorev1beta1.Shoot)) *gardencorev1beta1.Shoot {
		s := &gardencorev1beta1.Shoot{}
		s.Generation, s.Status.ObservedGeneration, s.Spec.SeedName = 2, 2, ptr.To("local")
		s.Status.LastOperation = &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded, Description: "done"}
		change(s)
		return s
	}
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  string
	}{
		"nothing":       {shoot(func(*gardencorev1beta1.Shoot) {}), "done"},
		"a seed":        {shoot(func(s *gardencorev1beta1.Shoot) { s.Spec.SeedName, s.Status.LastOperation = nil, nil }), "Waiting until the scheduler finds a seed"},
		"the gardenlet": {shoot(func(s *gardencorev1beta1.Shoot) { s.Status.LastOperation = nil }), "Waiting until the gardenlet of seed local begins"},
		"a change":      {shoot(func(s *gardencorev1beta1.Shoot) { s.Generation = 3 }), "Waiting until the gardenlet of seed local begins the change"},
		"an operation": {shoot(func(s *gardencorev1beta1.Shoot) {
			s.Annotations = map[string]string{"gardener.cloud/operation": "maintain"}
		}), `Waiting until the operation "maintain" begins`},
		"conditions": {shoot(func(s *gardencorev1beta1.Shoot) {
			s.Status.Conditions = []gardencorev1beta1.Condition{{Type: "A", Status: "Progressing"}, {Type: "B", Status: "True"}, {Type: "C", Status: "False"}}
		}), "Waiting for the conditions A, C"},
		"an operation that runs": {shoot(func(s *gardencorev1beta1.Shoot) {
			s.Generation, s.Status.LastOperation.State, s.Status.LastOperation.Description = 3, gardencorev1beta1.LastOperationStateProcessing, "Deploying etcd"
		}), "Deploying etcd"},
	} {
		t.Run("APP-35 a shoot waits for "+name, func(t *testing.T) {
			if got := statusOf(tc.shoot).Doing; got != tc.want {
				t.Errorf("it says %q, want %q", got, tc.want)
			}
		})
	}
}
