package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Plant is a cluster from elsewhere that a project only watches.
type Plant struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec PlantSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status PlantStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// PlantList is a list of Plant objects.
type PlantList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []Plant `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// PlantSpec is the desired state of a Plant.
type PlantSpec struct {
	// SecretRef refers to a Secret of the namespace whose key kubeconfig gives access to the cluster.
	SecretRef corev1.LocalObjectReference `json:"secretRef" protobuf:"bytes,1,opt,name=secretRef"`

	// Endpoints are places that belong to the cluster, for people to visit.
	// +patchMergeKey=name
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=name
	Endpoints []PlantEndpoint `json:"endpoints,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=endpoints"`
}

// PlantEndpoint is a place that belongs to a cluster.
type PlantEndpoint struct {
	// Name is the name of the place.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// URL is where the place is.
	URL string `json:"url" protobuf:"bytes,2,opt,name=url"`

	// Purpose is what the place is for, for example management.
	Purpose string `json:"purpose" protobuf:"bytes,3,opt,name=purpose"`
}

// PlantStatus is the observed state of a Plant.
type PlantStatus struct {
	// Conditions tell whether the cluster is well.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration *int64 `json:"observedGeneration,omitempty" protobuf:"varint,2,opt,name=observedGeneration"`

	// ClusterInfo says what kind of cluster it is.
	ClusterInfo *PlantClusterInfo `json:"clusterInfo,omitempty" protobuf:"bytes,3,opt,name=clusterInfo"`
}

// PlantClusterInfo says what kind of cluster a Plant is.
type PlantClusterInfo struct {
	// Cloud is where the cluster runs.
	Cloud PlantCloudInfo `json:"cloud" protobuf:"bytes,1,opt,name=cloud"`

	// Kubernetes is what the cluster runs.
	Kubernetes PlantKubernetesInfo `json:"kubernetes" protobuf:"bytes,2,opt,name=kubernetes"`
}

// PlantCloudInfo is where a cluster runs.
type PlantCloudInfo struct {
	// Type is the type of the cloud.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Region is the region in the cloud.
	Region string `json:"region" protobuf:"bytes,2,opt,name=region"`
}

// PlantKubernetesInfo is what a cluster runs.
type PlantKubernetesInfo struct {
	// Version is the version of Kubernetes.
	Version string `json:"version" protobuf:"bytes,1,opt,name=version"`
}

const (
	// PlantAPIServerAvailable says whether the API server of a Plant answers.
	PlantAPIServerAvailable ConditionType = "APIServerAvailable"
	// PlantEveryNodeReady says whether all nodes of a Plant are ready.
	PlantEveryNodeReady ConditionType = "EveryNodeReady"
)
