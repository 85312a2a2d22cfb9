package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Shoot is a Kubernetes cluster that Gardener creates, operates and deletes.
type Shoot struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec ShootSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// Status is the observed state.
	Status ShootStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ShootList is a list of Shoot objects.
type ShootList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []Shoot `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ShootTemplate is metadata and specification of a Shoot to be made.
type ShootTemplate struct {
	// ObjectMeta is the metadata of the object to be made.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the specification of the Shoot.
	Spec ShootSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// ShootSpec is the desired state of a Shoot.
type ShootSpec struct {
	// Addons are additional components in the cluster; for evaluation only.
	Addons *Addons `json:"addons,omitempty" protobuf:"bytes,1,opt,name=addons"`

	// CloudProfileName is the name of the CloudProfile; kept equal to cloudProfile. Prefer cloudProfile.
	CloudProfileName *string `json:"cloudProfileName,omitempty" protobuf:"bytes,2,opt,name=cloudProfileName"`

	// DNS configures the domain of the cluster.
	DNS *DNS `json:"dns,omitempty" protobuf:"bytes,3,opt,name=dns"`

	// Extensions are extensions wanted for the cluster, one per type.
	// +listType=map
	// +listMapKey=type
	Extensions []Extension `json:"extensions,omitempty" protobuf:"bytes,4,rep,name=extensions"`

	// Hibernation puts the cluster to sleep, now or on a schedule.
	Hibernation *Hibernation `json:"hibernation,omitempty" protobuf:"bytes,5,opt,name=hibernation"`

	// Kubernetes is version and configuration of the Kubernetes components.
	Kubernetes Kubernetes `json:"kubernetes" protobuf:"bytes,6,opt,name=kubernetes"`

	// Networking is the network configuration of the cluster.
	Networking *Networking `json:"networking,omitempty" protobuf:"bytes,7,opt,name=networking"`

	// Maintenance says when and what maintenance may do.
	Maintenance *Maintenance `json:"maintenance,omitempty" protobuf:"bytes,8,opt,name=maintenance"`

	// Monitoring configures the monitoring of the cluster.
	Monitoring *Monitoring `json:"monitoring,omitempty" protobuf:"bytes,9,opt,name=monitoring"`

	// Provider is the infrastructure configuration with the worker pools.
	Provider Provider `json:"provider" protobuf:"bytes,10,opt,name=provider"`

	// Purpose is what the cluster is for; evaluation by default.
	Purpose *ShootPurpose `json:"purpose,omitempty" protobuf:"bytes,11,opt,name=purpose"`

	// Region is the region of the infrastructure; it cannot be changed.
	Region string `json:"region" protobuf:"bytes,12,opt,name=region"`

	// SecretBindingName is the name of the SecretBinding with the infrastructure credentials. Prefer
	// credentialsBindingName.
	SecretBindingName *string `json:"secretBindingName,omitempty" protobuf:"bytes,13,opt,name=secretBindingName"`

	// SeedName is the seed that runs the control plane; written through the binding subresource.
	SeedName *string `json:"seedName,omitempty" protobuf:"bytes,14,opt,name=seedName"`

	// SeedSelector restricts the seeds that may run the control plane.
	SeedSelector *SeedSelector `json:"seedSelector,omitempty" protobuf:"bytes,15,opt,name=seedSelector"`

	// Resources are named references that extensions and other settings of this object use.
	// +listType=map
	// +listMapKey=name
	Resources []NamedResourceReference `json:"resources,omitempty" protobuf:"bytes,16,rep,name=resources"`

	// Tolerations are the seed taints the cluster tolerates.
	// +listType=atomic
	Tolerations []Toleration `json:"tolerations,omitempty" protobuf:"bytes,17,rep,name=tolerations"`

	// ExposureClassName is the name of the ExposureClass of the control plane.
	ExposureClassName *string `json:"exposureClassName,omitempty" protobuf:"bytes,18,opt,name=exposureClassName"`

	// SystemComponents configures components that Gardener runs inside the cluster.
	SystemComponents *SystemComponents `json:"systemComponents,omitempty" protobuf:"bytes,19,opt,name=systemComponents"`

	// ControlPlane configures the control plane.
	ControlPlane *ControlPlane `json:"controlPlane,omitempty" protobuf:"bytes,20,opt,name=controlPlane"`

	// SchedulerName is the scheduler that chooses the seed; default-scheduler by default, and fixed.
	SchedulerName *string `json:"schedulerName,omitempty" protobuf:"bytes,21,opt,name=schedulerName"`

	// CloudProfile refers to the CloudProfile or NamespacedCloudProfile with the allowed versions, machines and
	// images.
	CloudProfile *CloudProfileReference `json:"cloudProfile,omitempty" protobuf:"bytes,22,opt,name=cloudProfile"`

	// CredentialsBindingName is the name of the CredentialsBinding with the infrastructure credentials.
	CredentialsBindingName *string `json:"credentialsBindingName,omitempty" protobuf:"bytes,23,opt,name=credentialsBindingName"`

	// AccessRestrictions are restrictions on where the control plane may be and who may reach it.
	// +listType=map
	// +listMapKey=name
	AccessRestrictions []AccessRestrictionWithOptions `json:"accessRestrictions,omitempty" protobuf:"bytes,24,rep,name=accessRestrictions"`
}

// CloudProfileReference refers to a CloudProfile or NamespacedCloudProfile.
type CloudProfileReference struct {
	// Kind is CloudProfile or NamespacedCloudProfile.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// Name is the name of the profile.
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
}

// ShootPurpose is what a cluster is for; it decides about monitoring, backups and alerts.
type ShootPurpose string

const (
	// ShootPurposeEvaluation is for trying things out.
	ShootPurposeEvaluation ShootPurpose = "evaluation"
	// ShootPurposeTesting is for tests.
	ShootPurposeTesting ShootPurpose = "testing"
	// ShootPurposeDevelopment is for development.
	ShootPurposeDevelopment ShootPurpose = "development"
	// ShootPurposeProduction is for production.
	ShootPurposeProduction ShootPurpose = "production"
	// ShootPurposeInfrastructure is for clusters of the operators, such as seeds; only in the namespace garden.
	ShootPurposeInfrastructure ShootPurpose = "infrastructure"
)

// Monitoring configures the monitoring of a cluster.
type Monitoring struct {
	// Alerting configures alerts.
	Alerting *Alerting `json:"alerting,omitempty" protobuf:"bytes,1,opt,name=alerting"`
}

// Alerting configures alerts.
type Alerting struct {
	// EmailReceivers are the addresses that get alerts about the cluster.
	// +listType=set
	EmailReceivers []string `json:"emailReceivers,omitempty" protobuf:"bytes,1,rep,name=emailReceivers"`
}

// Hibernation puts a cluster to sleep, now or on a schedule.
type Hibernation struct {
	// Enabled is true if the cluster is to sleep.
	Enabled *bool `json:"enabled,omitempty" protobuf:"varint,1,opt,name=enabled"`

	// Schedules are times to fall asleep and to wake up.
	// +listType=atomic
	Schedules []HibernationSchedule `json:"schedules,omitempty" protobuf:"bytes,2,rep,name=schedules"`
}

// HibernationSchedule is a time to fall asleep, a time to wake up, or both.
type HibernationSchedule struct {
	// Start is a cron expression of five fields for falling asleep.
	Start *string `json:"start,omitempty" protobuf:"bytes,1,opt,name=start"`

	// End is a cron expression of five fields for waking up.
	End *string `json:"end,omitempty" protobuf:"bytes,2,opt,name=end"`

	// Location is the name of the time zone of both; UTC if unset.
	Location *string `json:"location,omitempty" protobuf:"bytes,3,opt,name=location"`
}

// ControlPlane configures the control plane of a cluster.
type ControlPlane struct {
	// HighAvailability asks for a control plane that survives failures.
	HighAvailability *HighAvailability `json:"highAvailability,omitempty" protobuf:"bytes,1,opt,name=highAvailability"`

	// Zones pins the control plane to zones of the seed.
	// +listType=atomic
	Zones []string `json:"zones,omitempty" protobuf:"bytes,2,rep,name=zones"`
}
