package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnotationSuspend of an Etcd, with any value, leaves its objects as they are, so that somebody can work on them.
const AnnotationSuspend = "druid.gardener.cloud/suspend-etcd-spec-reconcile"

// Etcd is one etcd cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=etcds,singular=etcd
// +kubebuilder:metadata:labels="gardener.cloud/deletion-protected=true"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Quorate",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="All Members Ready",type=string,JSONPath=`.status.conditions[?(@.type=="AllMembersReady")].status`
// +kubebuilder:printcolumn:name="Backup Ready",type=string,JSONPath=`.status.conditions[?(@.type=="BackupReady")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Cluster Size",type=integer,priority=1,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Current Replicas",type=integer,priority=1,JSONPath=`.status.currentReplicas`
// +kubebuilder:printcolumn:name="Ready Replicas",type=integer,priority=1,JSONPath=`.status.readyReplicas`
type Etcd struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the cluster wanted.
	// +optional
	Spec EtcdSpec `json:"spec,omitempty"`
	// Status is the cluster as it is.
	// +optional
	Status EtcdStatus `json:"status,omitempty"`
}

// EtcdSpec is the cluster wanted.
type EtcdSpec struct {
	// MemberNamePrefix begins the names of the members.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	MemberNamePrefix *string `json:"memberNamePrefix,omitempty"`
	// Selector picks the pods of the cluster.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// Labels of the pods.
	Labels map[string]string `json:"labels"`
	// Annotations of the pods.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Etcd configures the servers.
	Etcd EtcdConfig `json:"etcd"`
	// Backup configures the backups.
	Backup BackupSpec `json:"backup"`
	// Common is the configuration servers and backups share.
	// +optional
	Common SharedConfig `json:"sharedConfig,omitempty"`
	// SchedulingConstraints places the pods.
	// +optional
	SchedulingConstraints SchedulingConstraints `json:"schedulingConstraints,omitempty"`
	// Replicas is the number of members; 0 while hibernated.
	// +kubebuilder:validation:Minimum=0
	Replicas int32 `json:"replicas"`
	// PriorityClassName of the pods.
	// +optional
	PriorityClassName *string `json:"priorityClassName,omitempty"`
	// StorageClass of the volumes; the cluster's default when unset.
	// +optional
	StorageClass *string `json:"storageClass,omitempty"`
	// StorageCapacity of the volumes.
	// +optional
	StorageCapacity *resource.Quantity `json:"storageCapacity,omitempty"`
	// VolumeClaimTemplate names the volume claim template; the name of the Etcd when unset.
	// +optional
	VolumeClaimTemplate *string `json:"volumeClaimTemplate,omitempty"`
	// RunAsRoot runs the pods as root.
	// +optional
	RunAsRoot *bool `json:"runAsRoot,omitempty"`
}

// MetricsLevel says how many metrics a server exports.
// +kubebuilder:validation:Enum=basic;extensive
type MetricsLevel string

// Levels of metrics.
const (
	Basic     MetricsLevel = "basic"
	Extensive MetricsLevel = "extensive"
)

// EtcdConfig configures the servers.
type EtcdConfig struct {
	// Quota is the size at which the database refuses writes.
	// +optional
	Quota *resource.Quantity `json:"quota,omitempty"`
	// SnapshotCount is after how many transactions a server snapshots its log.
	// +optional
	SnapshotCount *int64 `json:"snapshotCount,omitempty"`
	// EnableGRPCGateway serves the API as JSON, too.
	// +optional
	EnableGRPCGateway *bool `json:"enableGRPCGateway,omitempty"`
	// DefragmentationSchedule is a cron expression.
	// +optional
	DefragmentationSchedule *string `json:"defragmentationSchedule,omitempty"`
	// ServerPort is the port for peers; 2380 when unset.
	// +optional
	ServerPort *int32 `json:"serverPort,omitempty"`
	// ClientPort is the port for clients; 2379 when unset.
	// +optional
	ClientPort *int32 `json:"clientPort,omitempty"`
	// WrapperPort is the port of the process that starts the server.
	// +optional
	WrapperPort *int32 `json:"wrapperPort,omitempty"`
	// Image overrides the image of the servers.
	// +optional
	Image *string `json:"image,omitempty"`
	// AuthSecretRef names a secret with user name and password.
	// +optional
	AuthSecretRef *corev1.SecretReference `json:"authSecretRef,omitempty"`
	// Metrics is the level of metrics; basic when unset.
	// +optional
	Metrics *MetricsLevel `json:"metrics,omitempty"`
	// Resources of the server's container.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// ClientUrlTLS secures the traffic with clients; plain HTTP when unset.
	// +optional
	ClientUrlTLS *TLSConfig `json:"clientUrlTls,omitempty"`
	// PeerUrlTLS secures the traffic between members; plain HTTP when unset.
	// +optional
	PeerUrlTLS *TLSConfig `json:"peerUrlTls,omitempty"`
	// AdditionalAdvertisePeerURLs are further addresses of members for each other.
	// +optional
	AdditionalAdvertisePeerURLs []AdditionalAdvertisePeerURLs `json:"additionalAdvertisePeerURLs,omitempty"`
	// EtcdDefragTimeout bounds one defragmentation.
	// +optional
	EtcdDefragTimeout *metav1.Duration `json:"etcdDefragTimeout,omitempty"`
	// HeartbeatDuration is the time between two heartbeats of members.
	// +optional
	HeartbeatDuration *metav1.Duration `json:"heartbeatDuration,omitempty"`
	// ClientService adds to the Service for clients.
	// +optional
	ClientService *ClientService `json:"clientService,omitempty"`
	// BackendBboltFreelistType is how the database keeps its list of free pages.
	// +optional
	BackendBboltFreelistType *BackendBboltFreelistType `json:"backendBboltFreelistType,omitempty"`
}

// BackendBboltFreelistType is how a database keeps its list of free pages.
// +kubebuilder:validation:Enum=array;map
type BackendBboltFreelistType string

// AdditionalAdvertisePeerURLs are further addresses of a member for others.
type AdditionalAdvertisePeerURLs struct {
	// MemberName is the member.
	// +kubebuilder:validation:MaxLength=253
	MemberName string `json:"memberName"`
	// URLs are its addresses.
	// +kubebuilder:validation:MinItems=1
	URLs []string `json:"urls"`
}

// ClientService adds to the Service for clients.
type ClientService struct {
	// Annotations of the Service.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Labels of the Service.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// TrafficDistribution of the Service.
	// +optional
	TrafficDistribution *string `json:"trafficDistribution,omitempty"`
}

// SecretReference names a secret and a key in it.
type SecretReference struct {
	corev1.SecretReference `json:",inline"`
	// DataKey is the key in the secret.
	// +optional
	DataKey *string `json:"dataKey,omitempty"`
}

// TLSConfig names the secrets of a secured connection.
type TLSConfig struct {
	// TLSCASecretRef names the CA; its key is ca.crt when DataKey is unset.
	TLSCASecretRef SecretReference `json:"tlsCASecretRef"`
	// ServerTLSSecretRef names the server's certificate (tls.crt, tls.key).
	ServerTLSSecretRef corev1.SecretReference `json:"serverTLSSecretRef"`
	// ClientTLSSecretRef names the certificate of druid's own clients (tls.crt, tls.key).
	// +optional
	ClientTLSSecretRef corev1.SecretReference `json:"clientTLSSecretRef,omitempty"`
}

// CompactionMode says what AutoCompactionRetention counts.
// +kubebuilder:validation:Enum=periodic;revision
type CompactionMode string

// Modes of compaction.
const (
	Periodic CompactionMode = "periodic"
	Revision CompactionMode = "revision"
)

// SharedConfig is what servers and backups share.
type SharedConfig struct {
	// AutoCompactionMode says what AutoCompactionRetention counts.
	// +optional
	AutoCompactionMode *CompactionMode `json:"autoCompactionMode,omitempty"`
	// AutoCompactionRetention is how much history is kept.
	// +optional
	AutoCompactionRetention *string `json:"autoCompactionRetention,omitempty"`
}

// SchedulingConstraints places the pods.
type SchedulingConstraints struct {
	// Affinity of the pods.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
	// TopologySpreadConstraints of the pods.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
}

// EtcdList is a list of Etcds.
//
// +kubebuilder:object:root=true
type EtcdList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items is the list of Etcds.
	Items []Etcd `json:"items"`
}
