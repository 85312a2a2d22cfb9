package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ExposureClass is a way to expose control planes.
type ExposureClass struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Handler is the name of the handler that exposes them; it cannot be changed.
	Handler string `json:"handler" protobuf:"bytes,2,opt,name=handler"`

	// Scheduling restricts the seeds; it cannot be changed.
	Scheduling *ExposureClassScheduling `json:"scheduling,omitempty" protobuf:"bytes,3,opt,name=scheduling"`
}

// ExposureClassScheduling restricts the seeds of an exposure class.
type ExposureClassScheduling struct {
	// SeedSelector selects the seeds.
	SeedSelector *SeedSelector `json:"seedSelector,omitempty" protobuf:"bytes,1,opt,name=seedSelector"`

	// Tolerations are the seed taints that are tolerated.
	// +listType=atomic
	Tolerations []Toleration `json:"tolerations,omitempty" protobuf:"bytes,2,rep,name=tolerations"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ExposureClassList is a list of ExposureClass objects.
type ExposureClassList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []ExposureClass `json:"items" protobuf:"bytes,2,rep,name=items"`
}
