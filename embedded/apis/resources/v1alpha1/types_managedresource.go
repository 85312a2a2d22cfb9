package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ManagedResource keeps the objects described in secrets applied to a cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=managedresources,shortName=mr,singular=managedresource
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.class`
// +kubebuilder:printcolumn:name="Applied",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcesApplied")].status`
// +kubebuilder:printcolumn:name="Healthy",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcesHealthy")].status`
// +kubebuilder:printcolumn:name="Progressing",type=string,JSONPath=`.status.conditions[?(@.type=="ResourcesProgressing")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ManagedResource struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the desired state of the applied objects.
	// +optional
	Spec ManagedResourceSpec `json:"spec,omitempty"`
	// Status is the observed state of the applied objects.
	// +optional
	Status ManagedResourceStatus `json:"status,omitempty"`
}

// ManagedResourceSpec is the desired state of the applied objects.
type ManagedResourceSpec struct {
	// Class selects the resource manager in charge; unset means the one of the shoot.
	// +optional
	Class *string `json:"class,omitempty"`
	// SecretRefs names the secrets of this namespace whose values are the objects as YAML documents.
	// +listType=atomic
	SecretRefs []corev1.LocalObjectReference `json:"secretRefs"`
	// InjectLabels are added to every object and to pod templates.
	// +optional
	InjectLabels map[string]string `json:"injectLabels,omitempty"`
	// ForceOverwriteLabels removes labels others set.
	// +optional
	ForceOverwriteLabels *bool `json:"forceOverwriteLabels,omitempty"`
	// ForceOverwriteAnnotations removes annotations others set.
	// +optional
	ForceOverwriteAnnotations *bool `json:"forceOverwriteAnnotations,omitempty"`
	// KeepObjects leaves the objects in place when the ManagedResource goes; false when unset.
	// +optional
	KeepObjects *bool `json:"keepObjects,omitempty"`
	// Equivalences lists kinds that stand for the same objects.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Equivalences [][]metav1.GroupKind `json:"equivalences,omitempty"`
	// DeletePersistentVolumeClaims deletes the volume claims of StatefulSets, too; false when unset.
	// +optional
	DeletePersistentVolumeClaims *bool `json:"deletePersistentVolumeClaims,omitempty"`
}

// ManagedResourceStatus is the observed state of the applied objects.
type ManagedResourceStatus struct {
	// Conditions are the observations about the objects.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty"`
	// ObservedGeneration is the generation applied last.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Resources lists the objects applied, sorted by kind, namespace and name.
	// +optional
	// +listType=atomic
	Resources []ObjectReference `json:"resources,omitempty"`
	// SecretsDataChecksum is the SHA-256 of the data applied last.
	// +optional
	SecretsDataChecksum *string `json:"secretsDataChecksum,omitempty"`
}

// ObjectReference names an object that was applied.
type ObjectReference struct {
	// Kind of the object.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Namespace of the object.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	// +optional
	Name string `json:"name,omitempty"`
	// APIVersion of the object.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// Labels the object was applied with.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations the object was applied with.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// ManagedResourceList is a list of ManagedResources.
//
// +kubebuilder:object:root=true
type ManagedResourceList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of ManagedResources.
	Items []ManagedResource `json:"items"`
}
