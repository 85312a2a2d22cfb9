package v1alpha1

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ManagedSeed makes a shoot a seed.
type ManagedSeed struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ManagedSeedSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status ManagedSeedStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ManagedSeedList is a list of ManagedSeed objects.
type ManagedSeedList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ManagedSeed `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ManagedSeedTemplate is metadata and specification of a ManagedSeed to be made.
type ManagedSeedTemplate struct {
	// ObjectMeta is the metadata of the object to be made.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the specification of the ManagedSeed.
	Spec ManagedSeedSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// ManagedSeedSpec is the desired state of a ManagedSeed.
type ManagedSeedSpec struct {
	// Shoot is the shoot that becomes a seed; it cannot be changed.
	Shoot *Shoot `json:"shoot,omitempty" protobuf:"bytes,1,opt,name=shoot"`

	// SeedTemplate registers the seed without deploying a gardenlet; a form of older releases. Either it or Gardenlet is set.
	SeedTemplate *gardencorev1beta1.SeedTemplate `json:"seedTemplate,omitempty" protobuf:"bytes,2,opt,name=seedTemplate"`

	// Gardenlet is the gardenlet deployed into the shoot.
	Gardenlet *GardenletConfig `json:"gardenlet,omitempty" protobuf:"bytes,3,opt,name=gardenlet"`
}

// ManagedSeedStatus is the observed state of a ManagedSeed.
type ManagedSeedStatus struct {
	// Conditions tell whether the seed is registered.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,2,opt,name=observedGeneration"`
}

const (
	// ManagedSeedShootReconciled says whether the shoot is reconciled.
	ManagedSeedShootReconciled gardencorev1beta1.ConditionType = "ShootReconciled"
	// SeedRegistered says whether the seed is registered.
	SeedRegistered gardencorev1beta1.ConditionType = "SeedRegistered"
)

// Shoot refers to the shoot that becomes a seed.
type Shoot struct {
	// Name is the name of the shoot, in the same namespace.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// GardenletConfig is a gardenlet with its configuration.
type GardenletConfig struct {
	// Deployment configures the Deployment of the gardenlet.
	Deployment *GardenletDeployment `json:"deployment,omitempty" protobuf:"bytes,1,opt,name=deployment"`

	// Config is the GardenletConfiguration.
	Config *runtime.RawExtension `json:"config,omitempty" protobuf:"bytes,2,opt,name=config"`

	// Bootstrap is how the gardenlet gets its first credentials; BootstrapToken by default, and fixed.
	Bootstrap *Bootstrap `json:"bootstrap,omitempty" protobuf:"bytes,3,opt,name=bootstrap"`

	// MergeWithParent takes over settings of the gardenlet that deploys this one; true by default, and fixed.
	MergeWithParent *bool `json:"mergeWithParent,omitempty" protobuf:"varint,4,opt,name=mergeWithParent"`
}

// Bootstrap is how a gardenlet gets its first credentials.
type Bootstrap string

const (
	// BootstrapServiceAccount uses a service account.
	BootstrapServiceAccount Bootstrap = "ServiceAccount"
	// BootstrapToken uses a bootstrap token.
	BootstrapToken Bootstrap = "BootstrapToken"
	// BootstrapNone leaves the first credentials to the user.
	BootstrapNone Bootstrap = "None"
)
