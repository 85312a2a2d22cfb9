package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Object is any kind of this group but Cluster.
//
// +kubebuilder:object:generate=false
type Object interface {
	metav1.Object
	runtime.Object

	// GetExtensionSpec returns what the spec has in common with that of other kinds. Changes to it change the object.
	GetExtensionSpec() Spec
	// GetExtensionStatus returns what the status has in common with that of other kinds. Changes to it change the object.
	GetExtensionStatus() Status
}

// Spec is what the specs of all kinds have in common.
//
// +kubebuilder:object:generate=false
type Spec interface {
	// GetExtensionType is the type that selects the extension.
	GetExtensionType() string
	// GetExtensionClass is the class of the object; shoot when unset.
	GetExtensionClass() ExtensionClass
	// GetExtensionPurpose is the purpose of the kinds that have one, else nil.
	GetExtensionPurpose() *string
	// GetProviderConfig is the extension's own document, or nil.
	GetProviderConfig() *runtime.RawExtension
}

// Status is what the statuses of all kinds have in common.
//
// +kubebuilder:object:generate=false
type Status interface {
	// GetProviderStatus is the extension's own document, or nil.
	GetProviderStatus() *runtime.RawExtension
	// SetProviderStatus replaces the extension's own document.
	SetProviderStatus(*runtime.RawExtension)
	// GetConditions are the observations about the object.
	GetConditions() []gardencorev1beta1.Condition
	// SetConditions replaces the observations.
	SetConditions([]gardencorev1beta1.Condition)
	// GetLastOperation is what was done last, or nil.
	GetLastOperation() *gardencorev1beta1.LastOperation
	// SetLastOperation replaces what was done last.
	SetLastOperation(*gardencorev1beta1.LastOperation)
	// GetLastError is the error of the last operation, or nil.
	GetLastError() *gardencorev1beta1.LastError
	// SetLastError replaces the error; nil clears it.
	SetLastError(*gardencorev1beta1.LastError)
	// GetObservedGeneration is the generation reconciled last.
	GetObservedGeneration() int64
	// SetObservedGeneration replaces the generation reconciled last.
	SetObservedGeneration(int64)
	// GetState is what the extension needs to continue elsewhere, or nil.
	GetState() *runtime.RawExtension
	// SetState replaces what the extension needs to continue elsewhere.
	SetState(*runtime.RawExtension)
	// GetResources are the objects the state refers to.
	GetResources() []gardencorev1beta1.NamedResourceReference
	// SetResources replaces the objects the state refers to.
	SetResources([]gardencorev1beta1.NamedResourceReference)
}
