package v1alpha1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	vpav1 "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
)

// Update modes say when a recommendation is acted upon.
const (
	// UpdateModeAuto acts at any time.
	UpdateModeAuto = "Auto"
	// UpdateModeOff never acts.
	UpdateModeOff = "Off"
	// UpdateModeMaintenanceWindow acts only inside the maintenance window.
	UpdateModeMaintenanceWindow = "MaintenanceWindow"
)

// Reasons for which a recommendation is not acted upon.
const (
	// BlockedByMode means that the update mode is Off.
	BlockedByMode = "UpdateMode"
	// BlockedByWindow means that it is not the time of the maintenance window.
	BlockedByWindow = "MaintenanceWindow"
	// BlockedByStabilization means that the last change was a short time ago.
	BlockedByStabilization = "StabilizationWindow"
	// BlockedByChange means that the change would be small.
	BlockedByChange = "MinChanged"
)

// Hvpa scales the requests of a workload by recommendations, up and down by rules of their own.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=hvpas,singular=hvpa
// +kubebuilder:metadata:annotations="api-approved.kubernetes.io=unapproved, as Gardener defines it"
// +kubebuilder:printcolumn:name="Down",type=string,JSONPath=`.spec.vpa.scaleDown.updatePolicy.updateMode`
// +kubebuilder:printcolumn:name="Scaled",type=date,JSONPath=`.status.lastScaling.lastUpdated`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Hvpa struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says what is scaled and how.
	Spec HvpaSpec `json:"spec"`
	// Status tells what has been scaled.
	// +optional
	Status HvpaStatus `json:"status,omitempty"`
}

// HvpaList is a list of Hvpas.
//
// +kubebuilder:object:root=true
type HvpaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Hvpa `json:"items"`
}

// HvpaSpec says what is scaled and how.
type HvpaSpec struct {
	// Vpa says how requests are scaled.
	Vpa VpaSpec `json:"vpa"`
	// MaintenanceTimeWindow is the time of changes in the mode MaintenanceWindow.
	// +optional
	MaintenanceTimeWindow *MaintenanceTimeWindow `json:"maintenanceTimeWindow,omitempty"`
	// TargetRef is the workload.
	TargetRef *autoscalingv1.CrossVersionObjectReference `json:"targetRef"`
}

// MaintenanceTimeWindow is a daily time. It has the form HHMMSS+ZONE.
type MaintenanceTimeWindow struct {
	Begin string `json:"begin"`
	End   string `json:"end"`
}

// VpaSpec says how requests are scaled.
type VpaSpec struct {
	// Deploy means that there is a VerticalPodAutoscaler of the same name, which gets the recommendations.
	// +optional
	Deploy bool `json:"deploy,omitempty"`
	// Template is what the VerticalPodAutoscaler is made of.
	// +optional
	Template VpaTemplate `json:"template,omitempty"`
	// ScaleUp says when requests are raised.
	// +optional
	ScaleUp ScaleType `json:"scaleUp,omitempty"`
	// ScaleDown says when requests are lowered.
	// +optional
	ScaleDown ScaleType `json:"scaleDown,omitempty"`
}

// VpaTemplate is what a VerticalPodAutoscaler is made of.
type VpaTemplate struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Spec VpaTemplateSpec `json:"spec,omitempty"`
}

// VpaTemplateSpec is the specification of a VerticalPodAutoscaler.
type VpaTemplateSpec struct {
	// ResourcePolicy bounds the recommendations.
	// +optional
	ResourcePolicy *vpav1.PodResourcePolicy `json:"resourcePolicy,omitempty"`
}

// ScaleType says when requests are scaled in one direction.
type ScaleType struct {
	// +optional
	UpdatePolicy UpdatePolicy `json:"updatePolicy,omitempty"`
	// MinChange is the smallest change that is made.
	// +optional
	MinChange ScaleParams `json:"minChange,omitempty"`
	// StabilizationDuration is the shortest time since the last change.
	// +optional
	StabilizationDuration *metav1.Duration `json:"stabilizationDuration,omitempty"`
}

// UpdatePolicy says when recommendations are acted upon.
type UpdatePolicy struct {
	// UpdateMode defaults to Auto.
	// +kubebuilder:validation:Enum=Auto;Off;MaintenanceWindow
	// +optional
	UpdateMode *string `json:"updateMode,omitempty"`
}

// ScaleParams are changes of CPU and memory.
type ScaleParams struct {
	// +optional
	CPU ChangeParams `json:"cpu,omitempty"`
	// +optional
	Memory ChangeParams `json:"memory,omitempty"`
}

// ChangeParams are a change as an amount and as a part of the present request. The smaller one counts.
type ChangeParams struct {
	// Value is a quantity.
	// +optional
	Value *string `json:"value,omitempty"`
	// +optional
	Percentage *int32 `json:"percentage,omitempty"`
}

// HvpaStatus tells what has been scaled.
type HvpaStatus struct {
	// LastScaling is the last change that was made.
	// +optional
	LastScaling *ScalingStatus `json:"lastScaling,omitempty"`
	// LastBlockedScaling are the changes that are not made at present, with the reasons.
	// +optional
	LastBlockedScaling []BlockedScaling `json:"lastBlockedScaling,omitempty"`
}

// ScalingStatus is a change.
type ScalingStatus struct {
	// +optional
	LastUpdated *metav1.Time `json:"lastUpdated,omitempty"`
	// VpaStatus contains the requests.
	VpaStatus VpaStatus `json:"vpaStatus"`
}

// VpaStatus contains requests.
type VpaStatus struct {
	// +optional
	ContainerResources []ContainerResources `json:"containerResources,omitempty"`
}

// ContainerResources are the requests of a container.
type ContainerResources struct {
	ContainerName string              `json:"containerName"`
	Target        corev1.ResourceList `json:"target"`
}

// BlockedScaling is a change that is not made.
type BlockedScaling struct {
	Reason        string        `json:"reason"`
	ScalingStatus ScalingStatus `json:"scalingStatus"`
}
