package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// VirtualCluster is the cluster without nodes that serves the Gardener API.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.controlPlane) || !has(oldSelf.controlPlane.highAvailability) || has(self.controlPlane) && has(self.controlPlane.highAvailability)",message="controlPlane.highAvailability cannot be removed"
type VirtualCluster struct {
	// ControlPlane says how its control plane runs.
	ControlPlane *ControlPlane `json:"controlPlane,omitempty"`
	// DNS holds its domains.
	DNS DNS `json:"dns"`
	// ETCD configures its etcd clusters.
	ETCD *ETCD `json:"etcd,omitempty"`
	// Gardener configures the Gardener components.
	Gardener Gardener `json:"gardener"`
	// Kubernetes configures the Kubernetes components.
	Kubernetes Kubernetes `json:"kubernetes"`
	// Maintenance says when changes are made.
	Maintenance Maintenance `json:"maintenance"`
	// Networking holds its networks.
	Networking Networking `json:"networking"`
}

// ControlPlane says how a control plane runs.
type ControlPlane struct {
	// HighAvailability runs several instances of everything.
	HighAvailability *HighAvailability `json:"highAvailability,omitempty"`
}

// HighAvailability has no settings.
type HighAvailability struct{}

// DNS holds the domains of the virtual cluster.
//
// +kubebuilder:validation:XValidation:rule="has(self.domain) || has(self.domains)",message="name at least one domain in domains"
type DNS struct {
	// Domain is the only domain in Gardens of older releases; domains replaces it.
	Domain *string `json:"domain,omitempty"`
	// Domains are the domains; the API server is api.<domain>, the first one is written into kubeconfigs.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self[0].name == oldSelf[0].name",message="the first domain is immutable"
	// +listType=atomic
	Domains []DNSDomain `json:"domains,omitempty"`
}

// ETCD configures both etcd clusters.
type ETCD struct {
	// Main configures etcd for everything but events.
	Main *ETCDMain `json:"main,omitempty"`
	// Events configures etcd for events.
	Events *ETCDEvents `json:"events,omitempty"`
}

// ETCDMain configures etcd for everything but events.
type ETCDMain struct {
	// Autoscaling bounds its scaling.
	Autoscaling *gardencorev1beta1.ControlPlaneAutoscaling `json:"autoscaling,omitempty"`
	// Backup configures its backups.
	Backup *Backup `json:"backup,omitempty"`
	// Storage configures its volumes.
	Storage *Storage `json:"storage,omitempty"`
}

// ETCDEvents configures etcd for events.
type ETCDEvents struct {
	// Autoscaling bounds its scaling.
	Autoscaling *gardencorev1beta1.ControlPlaneAutoscaling `json:"autoscaling,omitempty"`
	// Storage configures its volumes.
	Storage *Storage `json:"storage,omitempty"`
}

// Storage configures volumes.
//
// +kubebuilder:validation:XValidation:rule="has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",message="className is immutable"
type Storage struct {
	// Capacity is the size.
	// +kubebuilder:default="10Gi"
	Capacity *resource.Quantity `json:"capacity,omitempty"`
	// ClassName is the storage class; the cluster's default when unset.
	ClassName *string `json:"className,omitempty"`
}

// Backup configures backups.
//
// +kubebuilder:validation:XValidation:rule="has(self.bucketName) == has(oldSelf.bucketName) && (!has(self.bucketName) || self.bucketName == oldSelf.bucketName)",message="bucketName is immutable"
// +kubebuilder:validation:XValidation:rule="has(self.region) == has(oldSelf.region) && (!has(self.region) || self.region == oldSelf.region)",message="region is immutable"
type Backup struct {
	// Provider is the type of the object store.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="provider is immutable"
	Provider string `json:"provider"`
	// BucketName is the bucket; one is made when unset.
	BucketName *string `json:"bucketName,omitempty"`
	// ProviderConfig is the provider's own document.
	// +kubebuilder:pruning:PreserveUnknownFields
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
	// Region is the region of the bucket.
	Region *string `json:"region,omitempty"`
	// SecretRef names the credentials in the namespace garden.
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
}

// Maintenance says when changes are made.
type Maintenance struct {
	// TimeWindow is when they may be made.
	TimeWindow gardencorev1beta1.MaintenanceTimeWindow `json:"timeWindow"`
}

// Networking holds the networks of the virtual cluster.
type Networking struct {
	// Services are the networks of Services, one for each family.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="oldSelf.all(x, x in self)",message="services can only be added"
	// +listType=atomic
	Services []string `json:"services"`
}
