package core

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var expanders = []core.ExpanderMode{
	core.ClusterAutoscalerExpanderLeastWaste, core.ClusterAutoscalerExpanderMostPods, core.ClusterAutoscalerExpanderPriority,
	core.ClusterAutoscalerExpanderRandom, core.ClusterAutoscalerExpanderLeastNodes,
}

func validateClusterAutoscaler(autoscaler *core.ClusterAutoscaler, path *field.Path) field.ErrorList {
	if autoscaler == nil {
		return nil
	}
	errs := between(autoscaler.ScaleDownUtilizationThreshold, 0, 1, path.Child("scaleDownUtilizationThreshold"))
	errs = append(errs, notNegativeDurations(path,
		namedDuration{"scaleDownDelayAfterAdd", autoscaler.ScaleDownDelayAfterAdd},
		namedDuration{"scaleDownDelayAfterDelete", autoscaler.ScaleDownDelayAfterDelete},
		namedDuration{"scaleDownDelayAfterFailure", autoscaler.ScaleDownDelayAfterFailure},
		namedDuration{"scaleDownUnneededTime", autoscaler.ScaleDownUnneededTime},
		namedDuration{"scanInterval", autoscaler.ScanInterval},
		namedDuration{"maxNodeProvisionTime", autoscaler.MaxNodeProvisionTime},
		namedDuration{"newPodScaleUpDelay", autoscaler.NewPodScaleUpDelay},
		namedDuration{"initialNodeGroupBackoffDuration", autoscaler.InitialNodeGroupBackoffDuration},
		namedDuration{"maxNodeGroupBackoffDuration", autoscaler.MaxNodeGroupBackoffDuration},
		namedDuration{"nodeGroupBackoffResetTimeout", autoscaler.NodeGroupBackoffResetTimeout},
		namedDuration{"maxBinpackingTime", autoscaler.MaxBinpackingTime})...)
	for name, number := range map[string]*int32{
		"maxGracefulTerminationSeconds": autoscaler.MaxGracefulTerminationSeconds, "maxEmptyBulkDelete": autoscaler.MaxEmptyBulkDelete,
		"verbosity": autoscaler.Verbosity, "maxScaleDownParallelism": autoscaler.MaxScaleDownParallelism,
		"maxDrainParallelism": autoscaler.MaxDrainParallelism,
	} {
		errs = append(errs, minimum(number, 0, path.Child(name))...)
	}
	for name, taints := range map[string][]string{
		"ignoreTaints": autoscaler.IgnoreTaints, "startupTaints": autoscaler.StartupTaints, "statusTaints": autoscaler.StatusTaints,
	} {
		errs = append(errs, validateKeys(taints, path.Child(name))...)
	}
	if autoscaler.Expander != nil {
		errs = append(errs, validateExpander(string(*autoscaler.Expander), path.Child("expander"))...)
	}
	return append(errs, validateMinAllowed(autoscaler.Autoscaling, nil, path)...)
}

// validateExpander validates a comma-separated list of expanders.
func validateExpander(text string, path *field.Path) field.ErrorList {
	var seen []core.ExpanderMode
	for _, name := range strings.Split(text, ",") {
		expander := core.ExpanderMode(name)
		if errs := oneOf(expander, path, expanders...); len(errs) > 0 {
			return errs
		}
		if slices.Contains(seen, expander) {
			return field.ErrorList{field.Duplicate(path, text)}
		}
		seen = append(seen, expander)
	}
	return nil
}

func validateVerticalPodAutoscaler(vpa *core.VerticalPodAutoscaler, path *field.Path) field.ErrorList {
	if vpa == nil {
		return nil
	}
	var errs field.ErrorList
	for _, one := range []namedDuration{
		{"evictAfterOOMThreshold", vpa.EvictAfterOOMThreshold}, {"updaterInterval", vpa.UpdaterInterval},
		{"recommenderInterval", vpa.RecommenderInterval}, {"cpuHistogramDecayHalfLife", vpa.CPUHistogramDecayHalfLife},
		{"memoryHistogramDecayHalfLife", vpa.MemoryHistogramDecayHalfLife}, {"memoryAggregationInterval", vpa.MemoryAggregationInterval},
	} {
		errs = append(errs, atLeast(one.value, positive, path.Child(one.name))...)
	}
	for name, fraction := range map[string]*float64{"evictionTolerance": vpa.EvictionTolerance, "recommendationMarginFraction": vpa.RecommendationMarginFraction} {
		if fraction != nil && (*fraction < 0 || *fraction >= 1) {
			errs = append(errs, field.Invalid(path.Child(name), *fraction, "must be at least 0 and less than 1"))
		}
	}
	for name, percentile := range map[string]*float64{
		"targetCPUPercentile": vpa.TargetCPUPercentile, "targetMemoryPercentile": vpa.TargetMemoryPercentile,
		"recommendationLowerBoundCPUPercentile": vpa.RecommendationLowerBoundCPUPercentile, "recommendationUpperBoundCPUPercentile": vpa.RecommendationUpperBoundCPUPercentile,
		"recommendationLowerBoundMemoryPercentile": vpa.RecommendationLowerBoundMemoryPercentile, "recommendationUpperBoundMemoryPercentile": vpa.RecommendationUpperBoundMemoryPercentile,
	} {
		errs = append(errs, between(percentile, 0, 1, path.Child(name))...)
	}
	errs = append(errs, minimum(vpa.EvictionRateBurst, 0, path.Child("evictionRateBurst"))...)
	errs = append(errs, minimum(vpa.MemoryAggregationIntervalCount, 1, path.Child("memoryAggregationIntervalCount"))...)
	errs = append(errs, minimum(vpa.RecommenderUpdateWorkerCount, 1, path.Child("recommenderUpdateWorkerCount"))...)
	errs = append(errs, validateFeatureGates(vpa.FeatureGates, path)...)
	return append(errs, validateResourceBounds(vpa.MaxAllowed, nil, path.Child("maxAllowed"))...)
}

// validateETCD reports bounds of etcd that are lower than what etcd needs to start.
func validateETCD(etcd *core.ETCD, path *field.Path) field.ErrorList {
	if etcd == nil {
		return nil
	}
	var errs field.ErrorList
	if etcd.Main != nil {
		errs = append(errs, validateMinAllowed(etcd.Main.Autoscaling, memory("300M"), path.Child("main"))...)
	}
	if etcd.Events != nil {
		errs = append(errs, validateMinAllowed(etcd.Events.Autoscaling, memory("60M"), path.Child("events"))...)
	}
	return errs
}

func memory(amount string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(amount)}
}
