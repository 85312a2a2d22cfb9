package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Maintenance says when and what maintenance may do.
type Maintenance struct {
	// AutoUpdate says which versions are automatically updated.
	AutoUpdate *MaintenanceAutoUpdate `json:"autoUpdate,omitempty" protobuf:"bytes,1,opt,name=autoUpdate"`

	// TimeWindow is when maintenance happens, every day.
	TimeWindow *MaintenanceTimeWindow `json:"timeWindow,omitempty" protobuf:"bytes,2,opt,name=timeWindow"`

	// ConfineSpecUpdateRollout lets changes of the specification wait for the time window, except hibernation.
	ConfineSpecUpdateRollout *bool `json:"confineSpecUpdateRollout,omitempty" protobuf:"varint,3,opt,name=confineSpecUpdateRollout"`

	// AutoRotation says which credentials are automatically rotated.
	AutoRotation *MaintenanceAutoRotation `json:"autoRotation,omitempty" protobuf:"bytes,4,opt,name=autoRotation"`
}

// MaintenanceAutoUpdate says which versions are automatically updated.
type MaintenanceAutoUpdate struct {
	// KubernetesVersion updates to new patch versions of Kubernetes; true by default.
	KubernetesVersion bool `json:"kubernetesVersion" protobuf:"varint,1,opt,name=kubernetesVersion"`

	// MachineImageVersion updates to new versions of the machine images; true by default.
	MachineImageVersion *bool `json:"machineImageVersion,omitempty" protobuf:"varint,2,opt,name=machineImageVersion"`
}

// MaintenanceTimeWindow is when maintenance happens, every day.
type MaintenanceTimeWindow struct {
	// Begin is the begin as HHMMSS+ZZZZ, for example 220000+0100.
	Begin string `json:"begin" protobuf:"bytes,1,opt,name=begin"`

	// End is the end as HHMMSS+ZZZZ; 30 minutes to 6 hours after the begin.
	End string `json:"end" protobuf:"bytes,2,opt,name=end"`
}

// MaintenanceAutoRotation says which credentials are automatically rotated.
type MaintenanceAutoRotation struct {
	// Credentials are the credentials with their periods.
	Credentials *MaintenanceCredentialsAutoRotation `json:"credentials,omitempty" protobuf:"bytes,1,opt,name=credentials"`
}

// MaintenanceCredentialsAutoRotation are the credentials that are rotated automatically.
type MaintenanceCredentialsAutoRotation struct {
	// Observability are the passwords for monitoring and logging.
	Observability *MaintenanceRotationConfig `json:"observability,omitempty" protobuf:"bytes,1,opt,name=observability"`

	// SSHKeypair is the SSH key of the nodes.
	SSHKeypair *MaintenanceRotationConfig `json:"sshKeypair,omitempty" protobuf:"bytes,2,opt,name=sshKeypair"`

	// ETCDEncryptionKey is the key that encrypts data in etcd.
	ETCDEncryptionKey *MaintenanceRotationConfig `json:"etcdEncryptionKey,omitempty" protobuf:"bytes,3,opt,name=etcdEncryptionKey"`
}

// MaintenanceRotationConfig says how often something is rotated.
type MaintenanceRotationConfig struct {
	// RotationPeriod is the time between rotations; 0 switches them off. 7 days by default.
	RotationPeriod *metav1.Duration `json:"rotationPeriod,omitempty" protobuf:"bytes,1,opt,name=rotationPeriod"`
}
