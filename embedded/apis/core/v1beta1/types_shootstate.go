package v1beta1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ShootState keeps what is needed to set up a control plane again.
type ShootState struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ShootStateSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ShootStateList is a list of ShootState objects.
type ShootStateList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ShootState `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ShootStateSpec is the content of a ShootState.
type ShootStateSpec struct {
	// Gardener is data of Gardener itself.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	Gardener []GardenerResourceData `json:"gardener,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,1,rep,name=gardener"`

	// Extensions are states of extension objects.
	// +listType=atomic
	Extensions []ExtensionResourceState `json:"extensions,omitempty" protobuf:"bytes,2,rep,name=extensions"`

	// Resources are objects the extension states refer to.
	// +listType=atomic
	Resources []ResourceData `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources"`
}

// GardenerResourceData is a piece of Gardener's own data.
type GardenerResourceData struct {
	// Name is the name of the piece.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Type is secret or machine-state.
	Type string `json:"type" protobuf:"bytes,2,opt,name=type"`

	// Data is the content.
	Data runtime.RawExtension `json:"data" protobuf:"bytes,3,opt,name=data"`

	// Labels describe the piece.
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,4,rep,name=labels"`
}

// ExtensionResourceState is the state of an extension object.
type ExtensionResourceState struct {
	// Kind is the kind of the object.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// Name is the name of the object.
	Name *string `json:"name,omitempty" protobuf:"bytes,2,opt,name=name"`

	// Purpose is the purpose of the object.
	Purpose *string `json:"purpose,omitempty" protobuf:"bytes,3,opt,name=purpose"`

	// State is the state.
	State *runtime.RawExtension `json:"state,omitempty" protobuf:"bytes,4,opt,name=state"`

	// Resources refer to objects the state needs.
	// +listType=map
	// +listMapKey=name
	Resources []NamedResourceReference `json:"resources,omitempty" protobuf:"bytes,5,rep,name=resources"`
}

// ResourceData is an object an extension state refers to.
type ResourceData struct {
	// CrossVersionObjectReference identifies the object.
	autoscalingv1.CrossVersionObjectReference `json:",inline" protobuf:"bytes,1,opt,name=crossVersionObjectReference"`

	// Data is the object.
	Data runtime.RawExtension `json:"data" protobuf:"bytes,2,opt,name=data"`
}
