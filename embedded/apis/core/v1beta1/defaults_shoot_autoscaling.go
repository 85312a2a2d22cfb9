package v1beta1

import "time"

// SetDefaults_ClusterAutoscaler completes a configuration that a user began.
func SetDefaults_ClusterAutoscaler(obj *ClusterAutoscaler) {
	setDuration(&obj.ScaleDownDelayAfterAdd, time.Hour)
	setDuration(&obj.ScaleDownDelayAfterDelete, 0)
	setDuration(&obj.ScaleDownDelayAfterFailure, 3*time.Minute)
	setDuration(&obj.ScaleDownUnneededTime, 30*time.Minute)
	setDefault(&obj.ScaleDownUtilizationThreshold, 0.5)
	setDuration(&obj.ScanInterval, 10*time.Second)
	setDefault(&obj.Expander, ClusterAutoscalerExpanderLeastWaste)
	setDuration(&obj.MaxNodeProvisionTime, 20*time.Minute)
	setDefault(&obj.MaxGracefulTerminationSeconds, 600)
	setDuration(&obj.NewPodScaleUpDelay, 0)
	setDefault(&obj.IgnoreDaemonsetsUtilization, false)
	setDefault(&obj.Verbosity, 2)
	if obj.MaxEmptyBulkDelete != nil {
		setDefault(&obj.MaxScaleDownParallelism, *obj.MaxEmptyBulkDelete)
	}
	setDefault(&obj.MaxScaleDownParallelism, 10)
	setDefault(&obj.MaxDrainParallelism, 1)
	setDuration(&obj.InitialNodeGroupBackoffDuration, 5*time.Minute)
	setDuration(&obj.MaxNodeGroupBackoffDuration, 30*time.Minute)
	setDuration(&obj.NodeGroupBackoffResetTimeout, 3*time.Hour)
	setDefault(&obj.EmitPerNodeGroupMetrics, false)
	setDuration(&obj.MaxBinpackingTime, 5*time.Minute)
}

// SetDefaults_VerticalPodAutoscaler completes a configuration that a user began.
func SetDefaults_VerticalPodAutoscaler(obj *VerticalPodAutoscaler) {
	setDuration(&obj.EvictAfterOOMThreshold, 10*time.Minute)
	setDefault(&obj.EvictionRateBurst, 1)
	setDefault(&obj.EvictionRateLimit, -1)
	setDefault(&obj.EvictionTolerance, 0.5)
	setDefault(&obj.RecommendationMarginFraction, 0.15)
	setDuration(&obj.UpdaterInterval, time.Minute)
	setDuration(&obj.RecommenderInterval, time.Minute)
	setDefault(&obj.TargetCPUPercentile, 0.9)
	setDefault(&obj.RecommendationLowerBoundCPUPercentile, 0.5)
	setDefault(&obj.RecommendationUpperBoundCPUPercentile, 0.95)
	setDefault(&obj.TargetMemoryPercentile, 0.9)
	setDefault(&obj.RecommendationLowerBoundMemoryPercentile, 0.5)
	setDefault(&obj.RecommendationUpperBoundMemoryPercentile, 0.95)
	setDuration(&obj.CPUHistogramDecayHalfLife, 24*time.Hour)
	setDuration(&obj.MemoryHistogramDecayHalfLife, 24*time.Hour)
	setDuration(&obj.MemoryAggregationInterval, 24*time.Hour)
	setDefault(&obj.MemoryAggregationIntervalCount, 8)
	setDefault(&obj.RecommenderUpdateWorkerCount, 10)
}
