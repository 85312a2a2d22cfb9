package core

import (
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Condition returns the condition of a type, or nil if there is none. The pointer points into the given slice.
func Condition(conditions []core.Condition, kind core.ConditionType) *core.Condition {
	for i := range conditions {
		if conditions[i].Type == kind {
			return &conditions[i]
		}
	}
	return nil
}

// ConditionStatus returns the status of the condition of a type, or Unknown if there is none.
func ConditionStatus(conditions []core.Condition, kind core.ConditionType) core.ConditionStatus {
	if condition := Condition(conditions, kind); condition != nil {
		return condition.Status
	}
	return core.ConditionUnknown
}
