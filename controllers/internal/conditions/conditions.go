// Package conditions builds the conditions of Gardener objects. It sets the times of updates and transitions, and
// delays the status False by a grace period in status Progressing. It does not look at clusters.
package conditions

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Finding is the outcome of a check.
type Finding struct {
	Status  gardencorev1beta1.ConditionStatus
	Reason  string
	Message string
	Codes   []gardencorev1beta1.ErrorCode
}

// True returns the finding that the condition holds.
func True(reason, message string) Finding {
	return Finding{Status: gardencorev1beta1.ConditionTrue, Reason: reason, Message: message}
}

// False returns the finding that the condition does not hold.
func False(reason, message string, codes ...gardencorev1beta1.ErrorCode) Finding {
	return Finding{Status: gardencorev1beta1.ConditionFalse, Reason: reason, Message: message, Codes: codes}
}

// Unknown returns the finding that the check had no result.
func Unknown(reason, message string) Finding {
	return Finding{Status: gardencorev1beta1.ConditionUnknown, Reason: reason, Message: message}
}

// Get returns the condition of the type, nil if there is none.
func Get(conditions []gardencorev1beta1.Condition, kind gardencorev1beta1.ConditionType) *gardencorev1beta1.Condition {
	for i := range conditions {
		if conditions[i].Type == kind {
			return &conditions[i]
		}
	}
	return nil
}

// Set returns the conditions with the finding for the type. It does not change the given slice.
func Set(conditions []gardencorev1beta1.Condition, kind gardencorev1beta1.ConditionType, finding Finding, now time.Time) []gardencorev1beta1.Condition {
	next := Next(Get(conditions, kind), kind, finding, now)
	conditions = slices.Clone(conditions)
	if old := Get(conditions, kind); old != nil {
		*old = next
		return conditions
	}
	return append(conditions, next)
}

// Remove returns the conditions without those of the types.
func Remove(conditions []gardencorev1beta1.Condition, kinds ...gardencorev1beta1.ConditionType) []gardencorev1beta1.Condition {
	return slices.DeleteFunc(slices.Clone(conditions), func(c gardencorev1beta1.Condition) bool { return slices.Contains(kinds, c.Type) })
}

// Next returns the condition that follows old, which may be nil. Each time changes only if its fields change.
func Next(old *gardencorev1beta1.Condition, kind gardencorev1beta1.ConditionType, finding Finding, now time.Time) gardencorev1beta1.Condition {
	stamp := metav1.NewTime(now)
	next := gardencorev1beta1.Condition{
		Type: kind, Status: finding.Status, Reason: finding.Reason, Message: finding.Message, Codes: finding.Codes,
		LastTransitionTime: stamp, LastUpdateTime: stamp,
	}
	if old == nil {
		return next
	}
	if old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
		if old.Reason == next.Reason && old.Message == next.Message && slices.Equal(old.Codes, next.Codes) {
			next.LastUpdateTime = old.LastUpdateTime
		}
	}
	return next
}

// WithThreshold turns a finding False into Progressing until the threshold since the condition was True has passed. A
// condition that was never True, or that has no threshold, becomes False at once.
func WithThreshold(old *gardencorev1beta1.Condition, finding Finding, threshold time.Duration, now time.Time) Finding {
	if finding.Status != gardencorev1beta1.ConditionFalse || threshold <= 0 || old == nil {
		return finding
	}
	switch old.Status {
	case gardencorev1beta1.ConditionTrue:
		finding.Status = gardencorev1beta1.ConditionProgressing
	case gardencorev1beta1.ConditionProgressing:
		if now.Sub(old.LastTransitionTime.Time) < threshold {
			finding.Status = gardencorev1beta1.ConditionProgressing
		}
	}
	return finding
}
