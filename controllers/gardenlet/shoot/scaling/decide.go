package scaling

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Decide returns the requests that follow from a recommendation, and the reasons for which a part of it is not acted upon.
func Decide(h *autoscalingv1alpha1.Hvpa, current, recommended corev1.ResourceList, now time.Time) (next corev1.ResourceList, blocked []string) {
	next = current.DeepCopy()
	if next == nil {
		next = corev1.ResourceList{}
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		wanted, found := recommended[name]
		present := current[name]
		if !found || wanted.Cmp(present) == 0 {
			continue
		}
		rule := h.Spec.Vpa.ScaleUp
		if wanted.Cmp(present) < 0 {
			rule = h.Spec.Vpa.ScaleDown
		}
		if reason := obstacle(h, rule, name, present, wanted, now); reason != "" {
			blocked = append(blocked, reason)
			continue
		}
		next[name] = wanted
	}
	return next, blocked
}

// obstacle is the reason for which a request is not changed now; empty if there is none.
func obstacle(h *autoscalingv1alpha1.Hvpa, rule autoscalingv1alpha1.ScaleType, name corev1.ResourceName, present, wanted resource.Quantity, now time.Time) string {
	mode := ptr.Deref(rule.UpdatePolicy.UpdateMode, autoscalingv1alpha1.UpdateModeAuto)
	change := rule.MinChange.CPU
	if name == corev1.ResourceMemory {
		change = rule.MinChange.Memory
	}
	switch {
	case mode == autoscalingv1alpha1.UpdateModeOff:
		return autoscalingv1alpha1.BlockedByMode
	case !suffices(change, present, wanted):
		return autoscalingv1alpha1.BlockedByChange
	case mode == autoscalingv1alpha1.UpdateModeMaintenanceWindow && !inside(h.Spec.MaintenanceTimeWindow, now):
		return autoscalingv1alpha1.BlockedByWindow
	case tooEarly(h.Status.LastScaling, rule, now):
		return autoscalingv1alpha1.BlockedByStabilization
	}
	return ""
}

// suffices reports whether a change reaches the amount or the part of the present request that it needs.
func suffices(need autoscalingv1alpha1.ChangeParams, present, wanted resource.Quantity) bool {
	difference := wanted.DeepCopy()
	difference.Sub(present)
	if difference.Sign() < 0 {
		difference.Neg()
	}
	if need.Value == nil && need.Percentage == nil {
		return true
	}
	if need.Value != nil {
		if value, err := resource.ParseQuantity(*need.Value); err == nil && difference.Cmp(value) >= 0 {
			return true
		}
	}
	return need.Percentage != nil && 100*difference.AsApproximateFloat64() >= float64(*need.Percentage)*present.AsApproximateFloat64()
}

// inside reports whether it is the time of the window. Without a window it never is.
func inside(window *autoscalingv1alpha1.MaintenanceTimeWindow, now time.Time) bool {
	if window == nil {
		return false
	}
	parsed, err := helper.ParseTimeWindow(gardencorev1beta1.MaintenanceTimeWindow{Begin: window.Begin, End: window.End})
	return err == nil && parsed.Contains(now)
}

func tooEarly(last *autoscalingv1alpha1.ScalingStatus, rule autoscalingv1alpha1.ScaleType, now time.Time) bool {
	if last == nil || last.LastUpdated == nil || rule.StabilizationDuration == nil {
		return false
	}
	return now.Before(last.LastUpdated.Add(rule.StabilizationDuration.Duration))
}
