package app

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestAsleep(t *testing.T) {
	state := func(wanted, is bool, state gardencorev1beta1.LastOperationState, observed int64) *gardencorev1beta1.Shoot {
		return &gardencorev1beta1.Shoot{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun", Generation: 2},
			Spec:       gardencorev1beta1.ShootSpec{Hibernation: &gardencorev1beta1.Hibernation{Enabled: ptr.To(wanted)}},
			Status: gardencorev1beta1.ShootStatus{
				IsHibernated: is, ObservedGeneration: observed, LastOperation: &gardencorev1beta1.LastOperation{State: state},
				Conditions: []gardencorev1beta1.Condition{{Type: "APIServerAvailable", Status: gardencorev1beta1.ConditionTrue}},
			},
		}
	}
	for name, tc := range map[string]struct {
		shoot         *gardencorev1beta1.Shoot
		asleep, ready bool
	}{
		"GLT-40 a shoot that sleeps is not ready": {state(true, true, "Succeeded", 2), true, false},
		"GLT-40 a shoot that wakes up":            {state(false, true, "Processing", 2), false, false},
		"GLT-40 a shoot that shall wake up":       {state(false, true, "Succeeded", 1), false, false},
		"GLT-40 a shoot that falls asleep":        {state(true, false, "Processing", 2), false, false},
		"GLT-40 a shoot that is awake":            {state(false, false, "Succeeded", 2), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := statusOf(tc.shoot)
			if got.Asleep != tc.asleep || got.Ready != tc.ready {
				t.Errorf("asleep %v, ready %v", got.Asleep, got.Ready)
			}
			if tells := strings.Contains(conditionsText(got), "gardener shoot wake garden-sky/sun"); tells != tc.asleep {
				t.Errorf("text is %q", conditionsText(got))
			}
		})
	}
	t.Run("GLT-40 the error tells how to wake it", func(t *testing.T) {
		var exit *exitError
		if err := sleeps("garden-sky", "sun"); !errors.As(err, &exit) || exit.code != codeAttention || !strings.HasSuffix(exit.hint, "gardener shoot wake garden-sky/sun") {
			t.Errorf("error is %+v", err)
		}
	})
}
