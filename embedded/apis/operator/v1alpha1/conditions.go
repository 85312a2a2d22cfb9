package v1alpha1

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Types of the conditions of a Garden.
const (
	RuntimeComponentsHealthy        gardencorev1beta1.ConditionType = "RuntimeComponentsHealthy"
	VirtualComponentsHealthy        gardencorev1beta1.ConditionType = "VirtualComponentsHealthy"
	VirtualGardenAPIServerAvailable gardencorev1beta1.ConditionType = "VirtualGardenAPIServerAvailable"
	ObservabilityComponentsHealthy  gardencorev1beta1.ConditionType = "ObservabilityComponentsHealthy"
	// GardenReconciled says what the last operation says, for clients of releases before there were last operations.
	GardenReconciled gardencorev1beta1.ConditionType = "Reconciled"
)

// GardenConditions lists the types of the conditions about the health of a Garden, in the order of its columns.
func GardenConditions() []gardencorev1beta1.ConditionType {
	return []gardencorev1beta1.ConditionType{
		RuntimeComponentsHealthy, VirtualComponentsHealthy, VirtualGardenAPIServerAvailable, ObservabilityComponentsHealthy,
	}
}
