package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Seed is a cluster that hosts the control planes of shoots.
type Seed struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec SeedSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status SeedStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// SeedList is a list of Seed objects.
type SeedList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []Seed `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// SeedTemplate is metadata and specification of a Seed to be made.
type SeedTemplate struct {
	// ObjectMeta is the metadata of the object to be made.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the specification of the Seed.
	Spec SeedSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// SeedSpec is the desired state of a Seed.
type SeedSpec struct {
	// Backup says where etcd backups of the shoots go; once set it stays set. Without it there are no backups.
	Backup *Backup `json:"backup,omitempty" protobuf:"bytes,1,opt,name=backup"`

	// DNS holds DNS settings of the seed.
	DNS SeedDNS `json:"dns" protobuf:"bytes,2,opt,name=dns"`

	// Networks holds the address ranges of the seed.
	Networks SeedNetworks `json:"networks" protobuf:"bytes,3,opt,name=networks"`

	// Provider is the infrastructure the seed runs on.
	Provider SeedProvider `json:"provider" protobuf:"bytes,4,opt,name=provider"`

	// SecretRef refers to a Secret with a kubeconfig of the seed, for seeds without an own gardenlet.
	SecretRef *corev1.SecretReference `json:"secretRef,omitempty" protobuf:"bytes,5,opt,name=secretRef"`

	// Taints keep shoots away that do not tolerate them.
	// +listType=atomic
	Taints []SeedTaint `json:"taints,omitempty" protobuf:"bytes,6,rep,name=taints"`

	// Volume holds settings of persistent volumes in the seed.
	Volume *SeedVolume `json:"volume,omitempty" protobuf:"bytes,7,opt,name=volume"`

	// Settings switches features of the seed on and off.
	Settings *SeedSettings `json:"settings,omitempty" protobuf:"bytes,8,opt,name=settings"`

	// Ingress configures the ingress of the seed.
	Ingress *Ingress `json:"ingress,omitempty" protobuf:"bytes,9,opt,name=ingress"`

	// AccessRestrictions are the access restrictions the seed fulfils.
	// +listType=map
	// +listMapKey=name
	AccessRestrictions []AccessRestriction `json:"accessRestrictions,omitempty" protobuf:"bytes,10,rep,name=accessRestrictions"`

	// Extensions are extensions wanted in the seed.
	// +listType=map
	// +listMapKey=type
	Extensions []Extension `json:"extensions,omitempty" protobuf:"bytes,11,rep,name=extensions"`

	// Resources are named references for the extensions of the seed.
	// +listType=map
	// +listMapKey=name
	Resources []NamedResourceReference `json:"resources,omitempty" protobuf:"bytes,12,rep,name=resources"`
}

// SeedStatus is the observed state of a Seed.
type SeedStatus struct {
	// Gardener is the gardenlet that acts for the seed.
	Gardener *Gardener `json:"gardener,omitempty" protobuf:"bytes,1,opt,name=gardener"`

	// KubernetesVersion is the Kubernetes version of the seed cluster.
	KubernetesVersion *string `json:"kubernetesVersion,omitempty" protobuf:"bytes,2,opt,name=kubernetesVersion"`

	// Conditions tell whether the seed is usable.
	// +patchMergeKey=type
	// +patchStrategy=merge
	// +listType=map
	// +listMapKey=type
	Conditions []Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,3,rep,name=conditions"`

	// ObservedGeneration is the generation that was last acted upon.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,4,opt,name=observedGeneration"`

	// ClusterIdentity identifies the seed cluster; it never changes.
	ClusterIdentity *string `json:"clusterIdentity,omitempty" protobuf:"bytes,5,opt,name=clusterIdentity"`

	// Capacity is what the seed offers; the key shoots limits the number of shoots.
	Capacity corev1.ResourceList `json:"capacity,omitempty" protobuf:"bytes,6,opt,name=capacity"`

	// Allocatable is the capacity minus what is reserved.
	Allocatable corev1.ResourceList `json:"allocatable,omitempty" protobuf:"bytes,7,opt,name=allocatable"`

	// ClientCertificateExpirationTimestamp is when the gardenlet's client certificate ends.
	ClientCertificateExpirationTimestamp *metav1.Time `json:"clientCertificateExpirationTimestamp,omitempty" protobuf:"bytes,8,opt,name=clientCertificateExpirationTimestamp"`

	// LastOperation describes the latest operation on the seed.
	LastOperation *LastOperation `json:"lastOperation,omitempty" protobuf:"bytes,9,opt,name=lastOperation"`
}

// SeedTaint keeps shoots away that do not tolerate it.
type SeedTaint struct {
	// Key is the key of the taint.
	Key string `json:"key" protobuf:"bytes,1,opt,name=key"`

	// Value is the value of the taint.
	Value *string `json:"value,omitempty" protobuf:"bytes,2,opt,name=value"`
}

const (
	// SeedTaintProtected keeps a seed for shoots of the garden namespace.
	SeedTaintProtected = "seed.gardener.cloud/protected"
	// SeedBackupBucketsReady says whether the seed's buckets are usable.
	SeedBackupBucketsReady ConditionType = "BackupBucketsReady"
	// SeedExtensionsReady says whether all extensions needed by the seed are installed and healthy.
	SeedExtensionsReady ConditionType = "ExtensionsReady"
	// SeedGardenletReady says whether the gardenlet renews its lease.
	SeedGardenletReady ConditionType = "GardenletReady"
	// SeedSystemComponentsHealthy says whether the components of the seed run.
	SeedSystemComponentsHealthy ConditionType = "SeedSystemComponentsHealthy"
	// SeedEmergencyStopShootReconciliations says that shoot reconciliations are switched off.
	SeedEmergencyStopShootReconciliations ConditionType = "EmergencyStopShootReconciliations"
	// SeedBootstrapped was the condition of a bootstrapped seed in older releases.
	SeedBootstrapped ConditionType = "Bootstrapped"

	// ResourceShoots is the key of Seed capacity that counts shoots.
	ResourceShoots = "shoots"
)
