package v1beta1

import (
	"time"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_ClusterAutoscaler completes a configuration that a user began.
func SetDefaults_ClusterAutoscaler(obj *ClusterAutoscaler) {
	setDuration(&obj.ScaleDownDelayAfterAdd, time.Hour)
	setDuration(&obj.ScaleDownDelayAfterDelete, 0)
	setDuration(&obj.ScaleDownDelayAfterFailure, 3*time.Minute)
	setDuration(&obj.ScaleDownUnneededTime, 30*time.Minute)
	defaulting.Pointer(&obj.ScaleDownUtilizationThreshold, 0.5)
	setDuration(&obj.ScanInterval, 10*time.Second)
	defaulting.Pointer(&obj.Expander, ClusterAutoscalerExpanderLeastWaste)
	setDuration(&obj.MaxNodeProvisionTime, 20*time.Minute)
	defaulting.Pointer(&obj.MaxGracefulTerminationSeconds, 600)
	setDuration(&obj.NewPodScaleUpDelay, 0)
	defaulting.Pointer(&obj.IgnoreDaemonsetsUtilization, false)
	defaulting.Pointer(&obj.Verbosity, 2)
	if obj.MaxEmptyBulkDelete != nil {
		defaulting.Pointer(&obj.MaxScaleDownParallelism, *obj.MaxEmptyBulkDelete)
	}
	defaulting.Pointer(&obj.MaxScaleDownParallelism, 10)
	defaulting.Pointer(&obj.MaxDrainParallelism, 1)
	setDuration(&obj.InitialNodeGroupBackoffDuration, 5*time.Minute)
	setDuration(&obj.MaxNodeGroupBackoffDuration, 30*time.Minute)
	setDuration(&obj.NodeGroupBackoffResetTimeout, 3*time.Hour)
	defaulting.Pointer(&obj.EmitPerNodeGroupMetrics, false)
	setDuration(&obj.MaxBinpackingTime, 5*time.Minute)
}

// SetDefaults_VerticalPodAutoscaler completes a configuration that a user began.
func SetDefaults_VerticalPodAutoscaler(obj *VerticalPodAutoscaler) {
	setDuration(&obj.EvictAfterOOMThreshold, 10*time.Minute)
	defaulting.Pointer(&obj.EvictionRateBurst, 1)
	defaulting.Pointer(&obj.EvictionRateLimit, -1)
	defaulting.Pointer(&obj.EvictionTolerance, 0.5)
	defaulting.Pointer(&obj.RecommendationMarginFraction, 0.15)
	setDuration(&obj.UpdaterInterval, time.Minute)
	setDuration(&obj.RecommenderInterval, time.Minute)
	defaulting.Pointer(&obj.TargetCPUPercentile, 0.9)
	defaulting.Pointer(&obj.RecommendationLowerBoundCPUPercentile, 0.5)
	defaulting.Pointer(&obj.RecommendationUpperBoundCPUPercentile, 0.95)
	defaulting.Pointer(&obj.TargetMemoryPercentile, 0.9)
	defaulting.Pointer(&obj.RecommendationLowerBoundMemoryPercentile, 0.5)
	defaulting.Pointer(&obj.RecommendationUpperBoundMemoryPercentile, 0.95)
	setDuration(&obj.CPUHistogramDecayHalfLife, 24*time.Hour)
	setDuration(&obj.MemoryHistogramDecayHalfLife, 24*time.Hour)
	setDuration(&obj.MemoryAggregationInterval, 24*time.Hour)
	defaulting.Pointer(&obj.MemoryAggregationIntervalCount, 8)
	defaulting.Pointer(&obj.RecommenderUpdateWorkerCount, 10)
}
