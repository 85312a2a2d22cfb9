package conditions_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var (
	before = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	now    = before.Add(time.Minute)
)

func condition(status gardencorev1beta1.ConditionStatus, reason string) *gardencorev1beta1.Condition {
	return &gardencorev1beta1.Condition{
		Type: "Ready", Status: status, Reason: reason,
		LastTransitionTime: metav1.NewTime(before), LastUpdateTime: metav1.NewTime(before),
	}
}

func TestNext(t *testing.T) {
	for name, tc := range map[string]struct {
		old                   *gardencorev1beta1.Condition
		finding               conditions.Finding
		transitioned, updated time.Time
	}{
		"a new condition starts now":                    {finding: conditions.True("A", ""), transitioned: now, updated: now},
		"an unchanged condition keeps both times":       {old: condition("True", "A"), finding: conditions.True("A", ""), transitioned: before, updated: before},
		"another reason is an update, not a transition": {old: condition("True", "A"), finding: conditions.True("B", ""), transitioned: before, updated: now},
		"another status is both":                        {old: condition("True", "A"), finding: conditions.False("A", ""), transitioned: now, updated: now},
		"another error code is an update":               {old: condition("False", "A"), finding: conditions.False("A", "", "ERR_X"), transitioned: before, updated: now},
	} {
		t.Run(name, func(t *testing.T) {
			next := conditions.Next(tc.old, "Ready", tc.finding, now)
			if !next.LastTransitionTime.Time.Equal(tc.transitioned) || !next.LastUpdateTime.Time.Equal(tc.updated) {
				t.Errorf("transition %v, update %v", next.LastTransitionTime, next.LastUpdateTime)
			}
		})
	}
}

func TestWithThreshold(t *testing.T) {
	for name, tc := range map[string]struct {
		old       *gardencorev1beta1.Condition
		threshold time.Duration
		want      gardencorev1beta1.ConditionStatus
	}{
		"GLT-39 a condition that was True progresses first":     {old: condition("True", ""), threshold: 2 * time.Minute, want: "Progressing"},
		"GLT-39 it progresses until the threshold is over":      {old: condition("Progressing", ""), threshold: 2 * time.Minute, want: "Progressing"},
		"GLT-39 it is False when the threshold is over":         {old: condition("Progressing", ""), threshold: time.Minute, want: "False"},
		"without a threshold it is False at once":               {old: condition("True", ""), want: "False"},
		"a condition that was False stays False":                {old: condition("False", ""), threshold: time.Hour, want: "False"},
		"a condition that was never seen becomes False at once": {threshold: time.Hour, want: "False"},
	} {
		t.Run(name, func(t *testing.T) {
			got := conditions.WithThreshold(tc.old, conditions.False("R", "m"), tc.threshold, now)
			if got.Status != tc.want {
				t.Errorf("status is %s, want %s", got.Status, tc.want)
			}
		})
	}
}

func TestSetAndRemove(t *testing.T) {
	list := conditions.Set(nil, "A", conditions.True("X", ""), now)
	list = conditions.Set(list, "B", conditions.Unknown("Y", ""), now)
	changed := conditions.Set(list, "A", conditions.False("Z", ""), now)
	if list[0].Status != gardencorev1beta1.ConditionTrue {
		t.Error("the given conditions were changed")
	}
	if changed[0].Status != gardencorev1beta1.ConditionFalse || len(changed) != 2 {
		t.Errorf("condition A was not replaced in place: %v", changed)
	}
	if diff := cmp.Diff(1, len(conditions.Remove(changed, "A"))); diff != "" {
		t.Errorf("conditions left (-want +got):\n%s", diff)
	}
}
