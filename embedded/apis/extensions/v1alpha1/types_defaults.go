package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ExtensionClass says whether an object is for a shoot, a seed or the garden.
// +kubebuilder:validation:Enum=garden;seed;shoot
type ExtensionClass string

// Classes of objects.
const (
	ExtensionClassGarden ExtensionClass = "garden"
	ExtensionClassSeed   ExtensionClass = "seed"
	ExtensionClassShoot  ExtensionClass = "shoot"
)

// DefaultSpec holds the fields that the specs of all kinds have.
//
// +kubebuilder:validation:XValidation:rule="(has(self.class) ? self.class : 'shoot') == (has(oldSelf.class) ? oldSelf.class : 'shoot')",message="class is immutable"
type DefaultSpec struct {
	// Type selects the extension; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="type is immutable"
	Type string `json:"type"`
	// Class says whether the object is for a shoot, a seed or the garden; shoot when unset; immutable.
	// +optional
	Class *ExtensionClass `json:"class,omitempty"`
	// ProviderConfig is the extension's own document.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
}

// GetExtensionType implements Spec.
func (s *DefaultSpec) GetExtensionType() string { return s.Type }

// GetExtensionClass implements Spec.
func (s *DefaultSpec) GetExtensionClass() ExtensionClass {
	if s.Class == nil {
		return ExtensionClassShoot
	}
	return *s.Class
}

// GetExtensionPurpose implements Spec.
func (s *DefaultSpec) GetExtensionPurpose() *string { return nil }

// GetProviderConfig implements Spec.
func (s *DefaultSpec) GetProviderConfig() *runtime.RawExtension { return s.ProviderConfig }

// DefaultStatus holds the fields that the statuses of all kinds have.
type DefaultStatus struct {
	// ProviderStatus is the extension's own document.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderStatus *runtime.RawExtension `json:"providerStatus,omitempty"`
	// Conditions are the observations about the object.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty"`
	// LastError is the error of the last operation.
	// +optional
	LastError *gardencorev1beta1.LastError `json:"lastError,omitempty"`
	// LastOperation describes the latest operation.
	// +optional
	LastOperation *gardencorev1beta1.LastOperation `json:"lastOperation,omitempty"`
	// ObservedGeneration is the generation reconciled last.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// State is the data that the extension needs to continue on another seed.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	State *runtime.RawExtension `json:"state,omitempty"`
	// Resources are the objects the state refers to.
	// +optional
	// +listType=map
	// +listMapKey=name
	Resources []gardencorev1beta1.NamedResourceReference `json:"resources,omitempty"`
}

// GetProviderStatus implements Status.
func (s *DefaultStatus) GetProviderStatus() *runtime.RawExtension { return s.ProviderStatus }

// SetProviderStatus implements Status.
func (s *DefaultStatus) SetProviderStatus(status *runtime.RawExtension) { s.ProviderStatus = status }

// GetConditions implements Status.
func (s *DefaultStatus) GetConditions() []gardencorev1beta1.Condition { return s.Conditions }

// SetConditions implements Status.
func (s *DefaultStatus) SetConditions(c []gardencorev1beta1.Condition) { s.Conditions = c }

// GetLastOperation implements Status.
func (s *DefaultStatus) GetLastOperation() *gardencorev1beta1.LastOperation { return s.LastOperation }

// SetLastOperation implements Status.
func (s *DefaultStatus) SetLastOperation(op *gardencorev1beta1.LastOperation) { s.LastOperation = op }

// GetLastError implements Status.
func (s *DefaultStatus) GetLastError() *gardencorev1beta1.LastError { return s.LastError }

// SetLastError implements Status.
func (s *DefaultStatus) SetLastError(err *gardencorev1beta1.LastError) { s.LastError = err }

// GetObservedGeneration implements Status.
func (s *DefaultStatus) GetObservedGeneration() int64 { return s.ObservedGeneration }

// SetObservedGeneration implements Status.
func (s *DefaultStatus) SetObservedGeneration(generation int64) { s.ObservedGeneration = generation }

// GetState implements Status.
func (s *DefaultStatus) GetState() *runtime.RawExtension { return s.State }

// SetState implements Status.
func (s *DefaultStatus) SetState(state *runtime.RawExtension) { s.State = state }

// GetResources implements Status.
func (s *DefaultStatus) GetResources() []gardencorev1beta1.NamedResourceReference { return s.Resources }

// SetResources implements Status.
func (s *DefaultStatus) SetResources(r []gardencorev1beta1.NamedResourceReference) { s.Resources = r }
