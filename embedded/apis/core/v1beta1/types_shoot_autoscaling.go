package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterAutoscaler configures the cluster autoscaler.
type ClusterAutoscaler struct {
	// ScaleDownDelayAfterAdd is the time from the addition of a node until scale-down resumes; 1h by default.
	ScaleDownDelayAfterAdd *metav1.Duration `json:"scaleDownDelayAfterAdd,omitempty" protobuf:"bytes,1,opt,name=scaleDownDelayAfterAdd"`

	// ScaleDownDelayAfterDelete is the time from the removal of a node until scale-down resumes; 0s by default.
	ScaleDownDelayAfterDelete *metav1.Duration `json:"scaleDownDelayAfterDelete,omitempty" protobuf:"bytes,2,opt,name=scaleDownDelayAfterDelete"`

	// ScaleDownDelayAfterFailure is the time from a failed removal of a node until scale-down resumes; 3m by default.
	ScaleDownDelayAfterFailure *metav1.Duration `json:"scaleDownDelayAfterFailure,omitempty" protobuf:"bytes,3,opt,name=scaleDownDelayAfterFailure"`

	// ScaleDownUnneededTime is how long a node must be unneeded before it is removed; 30m by default.
	ScaleDownUnneededTime *metav1.Duration `json:"scaleDownUnneededTime,omitempty" protobuf:"bytes,4,opt,name=scaleDownUnneededTime"`

	// ScaleDownUtilizationThreshold is the utilization below which a node may be removed, 0 to 1; 0.5 by default.
	ScaleDownUtilizationThreshold *float64 `json:"scaleDownUtilizationThreshold,omitempty" protobuf:"fixed64,5,opt,name=scaleDownUtilizationThreshold"`

	// ScanInterval is the time between two evaluations; 10s by default.
	ScanInterval *metav1.Duration `json:"scanInterval,omitempty" protobuf:"bytes,6,opt,name=scanInterval"`

	// Expander chooses the pool that grows, as one name or a comma-separated list; least-waste by default.
	Expander *ExpanderMode `json:"expander,omitempty" protobuf:"bytes,7,opt,name=expander"`

	// MaxNodeProvisionTime is how long a new node may take to join; 20m by default.
	MaxNodeProvisionTime *metav1.Duration `json:"maxNodeProvisionTime,omitempty" protobuf:"bytes,8,opt,name=maxNodeProvisionTime"`

	// MaxGracefulTerminationSeconds is how long pods may take to end before a node is removed; 600 by default.
	MaxGracefulTerminationSeconds *int32 `json:"maxGracefulTerminationSeconds,omitempty" protobuf:"varint,9,opt,name=maxGracefulTerminationSeconds"`

	// IgnoreTaints are taints that simulations ignore; up to Kubernetes 1.31.
	// +listType=set
	IgnoreTaints []string `json:"ignoreTaints,omitempty" protobuf:"bytes,10,rep,name=ignoreTaints"`

	// NewPodScaleUpDelay is the age from which the autoscaler considers unschedulable pods; 0s by default.
	NewPodScaleUpDelay *metav1.Duration `json:"newPodScaleUpDelay,omitempty" protobuf:"bytes,11,opt,name=newPodScaleUpDelay"`

	// MaxEmptyBulkDelete is how many empty nodes may be removed at once; 10 by default.
	MaxEmptyBulkDelete *int32 `json:"maxEmptyBulkDelete,omitempty" protobuf:"varint,12,opt,name=maxEmptyBulkDelete"`

	// IgnoreDaemonsetsUtilization leaves DaemonSet pods out of the utilization; false by default.
	IgnoreDaemonsetsUtilization *bool `json:"ignoreDaemonsetsUtilization,omitempty" protobuf:"varint,13,opt,name=ignoreDaemonsetsUtilization"`

	// Verbosity is the log level; 2 by default.
	Verbosity *int32 `json:"verbosity,omitempty" protobuf:"varint,14,opt,name=verbosity"`

	// StartupTaints are taints that vanish once a node is ready.
	// +listType=set
	StartupTaints []string `json:"startupTaints,omitempty" protobuf:"bytes,15,rep,name=startupTaints"`

	// StatusTaints are taints that tell about the state of a node.
	// +listType=set
	StatusTaints []string `json:"statusTaints,omitempty" protobuf:"bytes,16,rep,name=statusTaints"`

	// MaxScaleDownParallelism is how many nodes may be removed at once; 10 by default.
	MaxScaleDownParallelism *int32 `json:"maxScaleDownParallelism,omitempty" protobuf:"varint,17,opt,name=maxScaleDownParallelism"`

	// MaxDrainParallelism is how many nodes with pods may be drained at once; 1 by default.
	MaxDrainParallelism *int32 `json:"maxDrainParallelism,omitempty" protobuf:"varint,18,opt,name=maxDrainParallelism"`

	// InitialNodeGroupBackoffDuration is the first pause after a pool failed to grow; 5m by default.
	InitialNodeGroupBackoffDuration *metav1.Duration `json:"initialNodeGroupBackoffDuration,omitempty" protobuf:"bytes,19,opt,name=initialNodeGroupBackoffDuration"`

	// MaxNodeGroupBackoffDuration is the longest pause after a pool failed to grow; 30m by default.
	MaxNodeGroupBackoffDuration *metav1.Duration `json:"maxNodeGroupBackoffDuration,omitempty" protobuf:"bytes,20,opt,name=maxNodeGroupBackoffDuration"`

	// NodeGroupBackoffResetTimeout is the time after which the pause is reset; 3h by default.
	NodeGroupBackoffResetTimeout *metav1.Duration `json:"nodeGroupBackoffResetTimeout,omitempty" protobuf:"bytes,21,opt,name=nodeGroupBackoffResetTimeout"`

	// EmitPerNodeGroupMetrics exposes metrics per pool; false by default.
	EmitPerNodeGroupMetrics *bool `json:"emitPerNodeGroupMetrics,omitempty" protobuf:"varint,22,opt,name=emitPerNodeGroupMetrics"`

	// MaxBinpackingTime bounds the time of a simulation; 5m by default.
	MaxBinpackingTime *metav1.Duration `json:"maxBinpackingTime,omitempty" protobuf:"bytes,23,opt,name=maxBinpackingTime"`

	// Autoscaling bounds the scaling of the autoscaler itself.
	Autoscaling *ControlPlaneAutoscaling `json:"autoscaling,omitempty" protobuf:"bytes,24,opt,name=autoscaling"`
}

// ExpanderMode chooses the pool that grows.
type ExpanderMode string

const (
	// ClusterAutoscalerExpanderLeastWaste chooses the pool that wastes the least.
	ClusterAutoscalerExpanderLeastWaste ExpanderMode = "least-waste"
	// ClusterAutoscalerExpanderMostPods chooses the pool that takes the most pods.
	ClusterAutoscalerExpanderMostPods ExpanderMode = "most-pods"
	// ClusterAutoscalerExpanderPriority chooses the pool of the highest priority.
	ClusterAutoscalerExpanderPriority ExpanderMode = "priority"
	// ClusterAutoscalerExpanderRandom chooses any pool.
	ClusterAutoscalerExpanderRandom ExpanderMode = "random"
	// ClusterAutoscalerExpanderLeastNodes chooses the pool that needs the fewest nodes.
	ClusterAutoscalerExpanderLeastNodes ExpanderMode = "least-nodes"
)

// VerticalPodAutoscaler configures the vertical pod autoscaler.
type VerticalPodAutoscaler struct {
	// Enabled switches the autoscaler on; false by default.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`

	// EvictAfterOOMThreshold is the age up to which an out-of-memory kill leads to an eviction; 10m by default.
	EvictAfterOOMThreshold *metav1.Duration `json:"evictAfterOOMThreshold,omitempty" protobuf:"bytes,2,opt,name=evictAfterOOMThreshold"`

	// EvictionRateBurst is how many evictions may happen at once; 1 by default.
	EvictionRateBurst *int32 `json:"evictionRateBurst,omitempty" protobuf:"varint,3,opt,name=evictionRateBurst"`

	// EvictionRateLimit is how many evictions may happen per second; -1 by default, which is no limit.
	EvictionRateLimit *float64 `json:"evictionRateLimit,omitempty" protobuf:"fixed64,4,opt,name=evictionRateLimit"`

	// EvictionTolerance is the share of replicas that may be evicted, 0 to 1; 0.5 by default.
	EvictionTolerance *float64 `json:"evictionTolerance,omitempty" protobuf:"fixed64,5,opt,name=evictionTolerance"`

	// RecommendationMarginFraction is the share added to recommendations, 0 to 1; 0.15 by default.
	RecommendationMarginFraction *float64 `json:"recommendationMarginFraction,omitempty" protobuf:"fixed64,6,opt,name=recommendationMarginFraction"`

	// UpdaterInterval is the time between two runs of the updater; 1m by default.
	UpdaterInterval *metav1.Duration `json:"updaterInterval,omitempty" protobuf:"bytes,7,opt,name=updaterInterval"`

	// RecommenderInterval is the time between two runs of the recommender; 1m by default.
	RecommenderInterval *metav1.Duration `json:"recommenderInterval,omitempty" protobuf:"bytes,8,opt,name=recommenderInterval"`

	// TargetCPUPercentile is the percentile of CPU usage that is recommended; 0.9 by default.
	TargetCPUPercentile *float64 `json:"targetCPUPercentile,omitempty" protobuf:"fixed64,9,opt,name=targetCPUPercentile"`

	// RecommendationLowerBoundCPUPercentile is the percentile of the lower CPU bound; 0.5 by default.
	RecommendationLowerBoundCPUPercentile *float64 `json:"recommendationLowerBoundCPUPercentile,omitempty" protobuf:"fixed64,10,opt,name=recommendationLowerBoundCPUPercentile"`

	// RecommendationUpperBoundCPUPercentile is the percentile of the upper CPU bound; 0.95 by default.
	RecommendationUpperBoundCPUPercentile *float64 `json:"recommendationUpperBoundCPUPercentile,omitempty" protobuf:"fixed64,11,opt,name=recommendationUpperBoundCPUPercentile"`

	// TargetMemoryPercentile is the percentile of memory usage that is recommended; 0.9 by default.
	TargetMemoryPercentile *float64 `json:"targetMemoryPercentile,omitempty" protobuf:"fixed64,12,opt,name=targetMemoryPercentile"`

	// RecommendationLowerBoundMemoryPercentile is the percentile of the lower memory bound; 0.5 by default.
	RecommendationLowerBoundMemoryPercentile *float64 `json:"recommendationLowerBoundMemoryPercentile,omitempty" protobuf:"fixed64,13,opt,name=recommendationLowerBoundMemoryPercentile"`

	// RecommendationUpperBoundMemoryPercentile is the percentile of the upper memory bound; 0.95 by default.
	RecommendationUpperBoundMemoryPercentile *float64 `json:"recommendationUpperBoundMemoryPercentile,omitempty" protobuf:"fixed64,14,opt,name=recommendationUpperBoundMemoryPercentile"`

	// CPUHistogramDecayHalfLife is the time after which a CPU sample counts half; 24h by default.
	CPUHistogramDecayHalfLife *metav1.Duration `json:"cpuHistogramDecayHalfLife,omitempty" protobuf:"bytes,15,opt,name=cpuHistogramDecayHalfLife"`

	// MemoryHistogramDecayHalfLife is the time after which a memory sample counts half; 24h by default.
	MemoryHistogramDecayHalfLife *metav1.Duration `json:"memoryHistogramDecayHalfLife,omitempty" protobuf:"bytes,16,opt,name=memoryHistogramDecayHalfLife"`

	// MemoryAggregationInterval is the length of one memory sample; 24h by default.
	MemoryAggregationInterval *metav1.Duration `json:"memoryAggregationInterval,omitempty" protobuf:"bytes,17,opt,name=memoryAggregationInterval"`

	// MemoryAggregationIntervalCount is how many memory samples are kept; 8 by default.
	MemoryAggregationIntervalCount *int64 `json:"memoryAggregationIntervalCount,omitempty" protobuf:"varint,18,opt,name=memoryAggregationIntervalCount"`

	// FeatureGates switches features of the autoscaler on and off.
	FeatureGates map[string]bool `json:"featureGates,omitempty" protobuf:"bytes,19,rep,name=featureGates"`

	// MaxAllowed is the highest recommendation for cpu and memory.
	MaxAllowed corev1.ResourceList `json:"maxAllowed,omitempty" protobuf:"bytes,20,opt,name=maxAllowed"`

	// RecommenderUpdateWorkerCount is how many workers write recommendations; 10 by default.
	RecommenderUpdateWorkerCount *int64 `json:"recommenderUpdateWorkerCount,omitempty" protobuf:"varint,21,opt,name=recommenderUpdateWorkerCount"`
}
