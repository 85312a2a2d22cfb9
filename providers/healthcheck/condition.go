package healthcheck

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// heartbeat is the age at which an unchanged condition is written again. Gardener ignores conditions that are some minutes old.
const heartbeat = time.Minute

// Finding is the outcome of a check.
type Finding struct {
	Status  gardencorev1beta1.ConditionStatus
	Reason  string
	Message string
	Codes   []gardencorev1beta1.ErrorCode
}

// with returns the conditions with the finding for the type, and whether they have to be written.
func with(all []gardencorev1beta1.Condition, kind gardencorev1beta1.ConditionType, f Finding, now time.Time) ([]gardencorev1beta1.Condition, bool) {
	stamp := metav1.NewTime(now)
	next := gardencorev1beta1.Condition{
		Type: kind, Status: f.Status, Reason: f.Reason, Message: f.Message, Codes: f.Codes, LastTransitionTime: stamp, LastUpdateTime: stamp,
	}
	at := slices.IndexFunc(all, func(c gardencorev1beta1.Condition) bool { return c.Type == kind })
	if at < 0 {
		return append(slices.Clone(all), next), true
	}
	old := all[at]
	if old.Status == next.Status {
		next.LastTransitionTime = old.LastTransitionTime
	}
	same := old.Status == f.Status && old.Reason == f.Reason && old.Message == f.Message && slices.Equal(old.Codes, f.Codes)
	if same && now.Sub(old.LastUpdateTime.Time) < heartbeat {
		return all, false
	}
	all = slices.Clone(all)
	all[at] = next
	return all, true
}

// find returns the condition of the type, nil if there is none.
func find(all []gardencorev1beta1.Condition, kind gardencorev1beta1.ConditionType) *gardencorev1beta1.Condition {
	at := slices.IndexFunc(all, func(c gardencorev1beta1.Condition) bool { return c.Type == kind })
	if at < 0 {
		return nil
	}
	return &all[at]
}
