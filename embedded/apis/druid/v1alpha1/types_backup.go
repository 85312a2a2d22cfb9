package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BackupSpec configures the backups of an Etcd; without a store nothing is backed up.
type BackupSpec struct {
	// Port of the backup server; 8080 when unset.
	// +optional
	Port *int32 `json:"port,omitempty"`
	// TLS secures the backup server.
	// +optional
	TLS *TLSConfig `json:"tls,omitempty"`
	// Image overrides the image of the backup server.
	// +optional
	Image *string `json:"image,omitempty"`
	// Store is where backups go.
	// +optional
	Store *StoreSpec `json:"store,omitempty"`
	// Resources of the backup server's container.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// SnapshotCompaction configures the merging of snapshots.
	// +optional
	SnapshotCompaction *SnapshotCompactionSpec `json:"snapshotCompaction,omitempty"`
	// FullSnapshotSchedule is a cron expression.
	// +optional
	FullSnapshotSchedule *string `json:"fullSnapshotSchedule,omitempty"`
	// GarbageCollectionPolicy says which snapshots are deleted.
	// +optional
	GarbageCollectionPolicy *GarbageCollectionPolicy `json:"garbageCollectionPolicy,omitempty"`
	// MaxBackupsLimitBasedGC is how many full snapshots the policy LimitBased keeps.
	// +optional
	MaxBackupsLimitBasedGC *int32 `json:"maxBackupsLimitBasedGC,omitempty"`
	// GarbageCollectionPeriod is the time between two collections.
	// +optional
	GarbageCollectionPeriod *metav1.Duration `json:"garbageCollectionPeriod,omitempty"`
	// DeltaSnapshotPeriod is the time between two delta snapshots.
	// +optional
	DeltaSnapshotPeriod *metav1.Duration `json:"deltaSnapshotPeriod,omitempty"`
	// DeltaSnapshotMemoryLimit is the amount of changes after which a delta snapshot is made early.
	// +optional
	DeltaSnapshotMemoryLimit *resource.Quantity `json:"deltaSnapshotMemoryLimit,omitempty"`
	// DeltaSnapshotRetentionPeriod is how long delta snapshots are kept.
	// +optional
	DeltaSnapshotRetentionPeriod *metav1.Duration `json:"deltaSnapshotRetentionPeriod,omitempty"`
	// SnapshotCompression configures the compression of snapshots.
	// +optional
	SnapshotCompression *CompressionSpec `json:"compression,omitempty"`
	// EnableProfiling serves profiles.
	// +optional
	EnableProfiling *bool `json:"enableProfiling,omitempty"`
	// EtcdSnapshotTimeout bounds one snapshot.
	// +optional
	EtcdSnapshotTimeout *metav1.Duration `json:"etcdSnapshotTimeout,omitempty"`
	// LeaderElection configures the election among the backup servers.
	// +optional
	LeaderElection *LeaderElectionSpec `json:"leaderElection,omitempty"`
	// OwnerCheck makes the members stop when another seed owns the etcd.
	// +optional
	OwnerCheck *OwnerCheckSpec `json:"ownerCheck,omitempty"`
}

// StorageProvider is the sort of a store, e.g. Local.
type StorageProvider string

// StoreSpec is a place for backups.
type StoreSpec struct {
	// Container is the name of the bucket.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Container *string `json:"container,omitempty"`
	// EndpointOverride replaces the provider's endpoint.
	// +optional
	EndpointOverride *string `json:"endpointOverride,omitempty"`
	// Prefix of the backups' names in the bucket.
	Prefix string `json:"prefix"`
	// Provider is the sort of the store.
	// +optional
	Provider *StorageProvider `json:"provider,omitempty"`
	// SecretRef names the credentials.
	// +optional
	SecretRef *corev1.SecretReference `json:"secretRef,omitempty"`
}

// SnapshotCompactionSpec configures the merging of snapshots.
type SnapshotCompactionSpec struct {
	// Resources of the job.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// EventsThreshold is the number of events after which snapshots are merged.
	// +optional
	EventsThreshold *int64 `json:"eventsThreshold,omitempty"`
	// TriggerFullSnapshotThreshold is the number of events after which a full snapshot is made instead.
	// +optional
	TriggerFullSnapshotThreshold *int64 `json:"triggerFullSnapshotThreshold,omitempty"`
}

// GarbageCollectionPolicy says which snapshots are deleted.
// +kubebuilder:validation:Enum=Exponential;LimitBased
type GarbageCollectionPolicy string

// Policies of garbage collection.
const (
	GarbageCollectionPolicyExponential GarbageCollectionPolicy = "Exponential"
	GarbageCollectionPolicyLimitBased  GarbageCollectionPolicy = "LimitBased"
)

// CompressionPolicy is the algorithm of compression.
// +kubebuilder:validation:Enum=gzip;lzw;zlib
type CompressionPolicy string

// Algorithms of compression.
const (
	GzipCompression CompressionPolicy = "gzip"
	LzwCompression  CompressionPolicy = "lzw"
	ZlibCompression CompressionPolicy = "zlib"
)

// CompressionSpec configures the compression of snapshots.
type CompressionSpec struct {
	// Enabled switches compression on.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Policy is the algorithm.
	// +optional
	Policy *CompressionPolicy `json:"policy,omitempty"`
}

// LeaderElectionSpec configures the election among the backup servers.
type LeaderElectionSpec struct {
	// ReelectionPeriod is how often a member checks which member leads.
	// +optional
	ReelectionPeriod *metav1.Duration `json:"reelectionPeriod,omitempty"`
	// EtcdConnectionTimeout bounds the connection to the server.
	// +optional
	EtcdConnectionTimeout *metav1.Duration `json:"etcdConnectionTimeout,omitempty"`
}

// OwnerCheckSpec configures how members find out who owns the etcd: by a TXT record in the DNS.
type OwnerCheckSpec struct {
	// Name of the record.
	Name string `json:"name"`
	// ID is the value that the record has to have.
	ID string `json:"id"`
	// Interval is the time between two checks; 30 seconds when unset.
	// +optional
	Interval *metav1.Duration `json:"interval,omitempty"`
	// Timeout is the time after which an owner that cannot be found out is lost; 2 minutes when unset.
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
	// DNSCacheTTL is how long an answer is used again; every check asks when unset.
	// +optional
	DNSCacheTTL *metav1.Duration `json:"dnsCacheTTL,omitempty"`
}
