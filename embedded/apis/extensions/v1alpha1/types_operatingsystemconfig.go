package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OperatingSystemConfigResource is the name of the kind OperatingSystemConfig.
const OperatingSystemConfigResource = "OperatingSystemConfig"

var _ Object = (*OperatingSystemConfig)(nil)

// OperatingSystemConfig is what is on the machines of a pool: files and units.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=operatingsystemconfigs,singular=operatingsystemconfig,shortName=osc
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Purpose",type=string,JSONPath=`.spec.purpose`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.lastOperation.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type OperatingSystemConfig struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state.
	Spec OperatingSystemConfigSpec `json:"spec"`
	// Status is the observed state.
	// +optional
	Status OperatingSystemConfigStatus `json:"status,omitempty"`
}

// GetExtensionSpec implements Object.
func (o *OperatingSystemConfig) GetExtensionSpec() Spec { return &o.Spec }

// GetExtensionStatus implements Object.
func (o *OperatingSystemConfig) GetExtensionStatus() Status { return &o.Status }

// OperatingSystemConfigSpec is the desired state of an OperatingSystemConfig.
type OperatingSystemConfigSpec struct {
	// CRIConfig configures the container runtime.
	// +optional
	CRIConfig   *CRIConfig `json:"criConfig,omitempty"`
	DefaultSpec `json:",inline"`
	// Purpose says when the configuration is used; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="purpose is immutable"
	Purpose OperatingSystemConfigPurpose `json:"purpose"`
	// ReloadConfigFilePath is where the result is stored on a running machine. It asks for status.command; used until v1.96.
	// +optional
	ReloadConfigFilePath *string `json:"reloadConfigFilePath,omitempty"`
	// Units are systemd units, unique by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	Units []Unit `json:"units,omitempty"`
	// Files are files, unique by path.
	// +optional
	// +listType=map
	// +listMapKey=path
	Files []File `json:"files,omitempty"`
	// InPlaceUpdates asks for updates in place.
	// +optional
	InPlaceUpdates *InPlaceUpdates `json:"inPlaceUpdates,omitempty"`
}

// OperatingSystemConfigPurpose says when a configuration is used.
// +kubebuilder:validation:Enum=provision;reconcile
type OperatingSystemConfigPurpose string

// Purposes of a configuration.
const (
	// OperatingSystemConfigPurposeProvision is what a machine boots with.
	OperatingSystemConfigPurposeProvision OperatingSystemConfigPurpose = "provision"
	// OperatingSystemConfigPurposeReconcile is what a running node keeps applied.
	OperatingSystemConfigPurposeReconcile OperatingSystemConfigPurpose = "reconcile"
)

// GetExtensionPurpose implements Spec.
func (s *OperatingSystemConfigSpec) GetExtensionPurpose() *string { return (*string)(&s.Purpose) }

// OperatingSystemConfigStatus is the observed state of an OperatingSystemConfig.
type OperatingSystemConfigStatus struct {
	DefaultStatus `json:",inline"`
	// ExtensionUnits are units the extension adds.
	// +optional
	// +listType=map
	// +listMapKey=name
	ExtensionUnits []Unit `json:"extensionUnits,omitempty"`
	// ExtensionFiles are files the extension adds.
	// +optional
	// +listType=map
	// +listMapKey=path
	ExtensionFiles []File `json:"extensionFiles,omitempty"`
	// CloudConfig names the secret with the result.
	// +optional
	CloudConfig *CloudConfig `json:"cloudConfig,omitempty"`
	// Command applies the result that is stored at spec.reloadConfigFilePath; used until v1.96.
	// +optional
	Command *string `json:"command,omitempty"`
	// Units are the names of the units to restart when the result has changed; used until v1.96.
	// +optional
	// +listType=atomic
	Units []string `json:"units,omitempty"`
	// Files are the paths of the files whose change restarts units; used until v1.96.
	// +optional
	// +listType=atomic
	Files []string `json:"files,omitempty"`
	// InPlaceUpdates says how to update in place.
	// +optional
	InPlaceUpdates *InPlaceUpdatesStatus `json:"inPlaceUpdates,omitempty"`
}

// OperatingSystemConfigSecretDataKey is the key of the result in its secret.
const OperatingSystemConfigSecretDataKey = "cloud_config"

// CloudConfig names the secret with the result.
type CloudConfig struct {
	// SecretRef is the secret.
	SecretRef corev1.SecretReference `json:"secretRef"`
}

// OperatingSystemConfigList is a list of OperatingSystemConfigs.
//
// +kubebuilder:object:root=true
type OperatingSystemConfigList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of OperatingSystemConfigs.
	Items []OperatingSystemConfig `json:"items"`
}
