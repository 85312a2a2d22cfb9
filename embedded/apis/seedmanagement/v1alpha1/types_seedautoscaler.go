package v1alpha1

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// SeedAutoscaler scales a set of seeds by how much they are used.
type SeedAutoscaler struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec SeedAutoscalerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status SeedAutoscalerStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// SeedAutoscalerList is a list of SeedAutoscaler objects.
type SeedAutoscalerList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []SeedAutoscaler `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// SeedAutoscalerSpec is the desired state of a SeedAutoscaler.
type SeedAutoscalerSpec struct {
	// ScaleTargetRef names the ManagedSeedSet that is scaled; it is in the same namespace.
	ScaleTargetRef autoscalingv1.CrossVersionObjectReference `json:"scaleTargetRef" protobuf:"bytes,1,opt,name=scaleTargetRef"`

	// MinReplicas is the number of seeds that always remain; 1 by default.
	MinReplicas *int32 `json:"minReplicas,omitempty" protobuf:"varint,2,opt,name=minReplicas"`

	// MaxReplicas is the number of seeds that is never exceeded; not less than minReplicas.
	MaxReplicas int32 `json:"maxReplicas" protobuf:"varint,3,opt,name=maxReplicas"`

	// Metrics tell how many seeds are needed; the one that asks for most wins. Without any, the limits alone count.
	// +listType=atomic
	Metrics []MetricSpec `json:"metrics,omitempty" protobuf:"bytes,4,rep,name=metrics"`
}

// MetricSpec is a measurement and what it should be.
type MetricSpec struct {
	// Type is the kind of measurement, which names the field that describes it; only Resource.
	Type MetricSourceType `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Resource describes a measurement of type Resource.
	Resource *ResourceMetricSource `json:"resource,omitempty" protobuf:"bytes,2,opt,name=resource"`
}

// MetricSourceType is a kind of measurement.
type MetricSourceType string

const (
	// ResourceMetricSourceType measures a resource that seeds have in their status.
	ResourceMetricSourceType MetricSourceType = "Resource"
)

// ResourceMetricSource is a resource of seeds and how much of it should be used.
type ResourceMetricSource struct {
	// Name is the name of the resource; only shoots.
	Name corev1.ResourceName `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Target is how much should be used, on average over the seeds.
	Target MetricTarget `json:"target" protobuf:"bytes,2,opt,name=target"`
}

// ResourceShoots is how many shoots run on a seed.
const ResourceShoots corev1.ResourceName = "shoots"

// MetricTarget is what a measurement should be.
type MetricTarget struct {
	// Type is how the measurement is expressed, which names the field with the number.
	Type MetricTargetType `json:"type" protobuf:"bytes,1,opt,name=type"`

	// AverageUtilization is the average use of what is allocatable, in percent; of type Utilization.
	AverageUtilization *int32 `json:"averageUtilization,omitempty" protobuf:"varint,2,opt,name=averageUtilization"`

	// AverageValue is the average amount used; of type AverageValue.
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,3,opt,name=averageValue"`
}

// MetricTargetType is how a measurement is expressed.
type MetricTargetType string

const (
	// UtilizationMetricType is percents of what is allocatable.
	UtilizationMetricType MetricTargetType = "Utilization"
	// AverageValueMetricType is the amount itself.
	AverageValueMetricType MetricTargetType = "AverageValue"
)

// SeedAutoscalerStatus is the observed state of a SeedAutoscaler.
type SeedAutoscalerStatus struct {
	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`

	// LastScaleTime is when the number of seeds was last changed.
	LastScaleTime *metav1.Time `json:"lastScaleTime,omitempty" protobuf:"bytes,2,opt,name=lastScaleTime"`

	// CurrentReplicas is the number of seeds that was last seen.
	CurrentReplicas int32 `json:"currentReplicas,omitempty" protobuf:"varint,3,opt,name=currentReplicas"`

	// DesiredReplicas is the number of seeds that was last found necessary.
	DesiredReplicas int32 `json:"desiredReplicas,omitempty" protobuf:"varint,4,opt,name=desiredReplicas"`

	// CurrentMetrics are the measurements that were last made.
	// +listType=atomic
	CurrentMetrics []MetricStatus `json:"currentMetrics,omitempty" protobuf:"bytes,5,rep,name=currentMetrics"`

	// Conditions tell how the autoscaler is.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep,name=conditions"`
}

// MetricStatus is a measurement that was made.
type MetricStatus struct {
	// Type is the kind of measurement, which names the field that holds it.
	Type MetricSourceType `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Resource is a measurement of type Resource.
	Resource *ResourceMetricStatus `json:"resource,omitempty" protobuf:"bytes,2,opt,name=resource"`
}

// ResourceMetricStatus is how much of a resource is used.
type ResourceMetricStatus struct {
	// Name is the name of the resource.
	Name corev1.ResourceName `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Current is how much is used.
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,opt,name=current"`
}

// MetricValueStatus is a measured number.
type MetricValueStatus struct {
	// AverageUtilization is the average use of what is allocatable, in percent.
	AverageUtilization *int32 `json:"averageUtilization,omitempty" protobuf:"varint,1,opt,name=averageUtilization"`

	// AverageValue is the average amount used.
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,2,opt,name=averageValue"`
}
