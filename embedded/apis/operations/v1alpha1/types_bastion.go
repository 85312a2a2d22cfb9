package v1alpha1

import (
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Bastion is a machine through which users reach the nodes of a shoot for a while.
type Bastion struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec BastionSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status BastionStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// BastionList is a list of Bastion objects.
type BastionList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []Bastion `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// BastionSpec is the desired state of a Bastion.
type BastionSpec struct {
	// ShootRef is the shoot; it cannot be changed.
	ShootRef corev1.LocalObjectReference `json:"shootRef" protobuf:"bytes,1,opt,name=shootRef"`

	// SeedName is the seed of the shoot; set by the server.
	SeedName *string `json:"seedName,omitempty" protobuf:"bytes,2,opt,name=seedName"`

	// ProviderType is the provider type of the shoot; set by the server.
	ProviderType *string `json:"providerType,omitempty" protobuf:"bytes,3,opt,name=providerType"`

	// SSHPublicKey is the key of the user, as in authorized_keys; it cannot be changed.
	SSHPublicKey string `json:"sshPublicKey" protobuf:"bytes,4,opt,name=sshPublicKey"`

	// Ingress are the addresses that may reach the machine.
	// +listType=atomic
	Ingress []BastionIngressPolicy `json:"ingress" protobuf:"bytes,5,rep,name=ingress"`
}

// BastionIngressPolicy are addresses that may reach a bastion.
type BastionIngressPolicy struct {
	// IPBlock is the range of the addresses.
	IPBlock networkingv1.IPBlock `json:"ipBlock" protobuf:"bytes,1,opt,name=ipBlock"`
}

// BastionStatus is the observed state of a Bastion.
type BastionStatus struct {
	// Ingress is the address of the machine.
	Ingress *corev1.LoadBalancerIngress `json:"ingress,omitempty" protobuf:"bytes,1,opt,name=ingress"`

	// Conditions tell whether the machine is ready.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []gardencorev1beta1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,2,rep,name=conditions"`

	// LastHeartbeatTimestamp is when a user last said that the bastion is in use.
	LastHeartbeatTimestamp *metav1.Time `json:"lastHeartbeatTimestamp,omitempty" protobuf:"bytes,3,opt,name=lastHeartbeatTimestamp"`

	// ExpirationTimestamp is when the bastion will be deleted.
	ExpirationTimestamp *metav1.Time `json:"expirationTimestamp,omitempty" protobuf:"bytes,4,opt,name=expirationTimestamp"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration *int64 `json:"observedGeneration,omitempty" protobuf:"varint,5,opt,name=observedGeneration"`
}

// BastionReady says whether the machine of a Bastion is ready.
const BastionReady gardencorev1beta1.ConditionType = "BastionReady"
