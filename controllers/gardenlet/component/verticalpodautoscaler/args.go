package verticalpodautoscaler

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// recommenderArgs expects a configuration in which all defaults are set, as do the functions for the other two parts.
func recommenderArgs(c *gardencorev1beta1.VerticalPodAutoscaler) []string {
	args := []string{
		"--memory-saver=true",
		"--pod-recommendation-min-cpu-millicores=5", // small pods on small clusters must not become large by it
		"--pod-recommendation-min-memory-mb=10",
		"--recommender-interval=" + c.RecommenderInterval.Duration.String(),
		"--recommendation-margin-fraction=" + fraction(c.RecommendationMarginFraction),
		"--target-cpu-percentile=" + fraction(c.TargetCPUPercentile),
		"--recommendation-lower-bound-cpu-percentile=" + fraction(c.RecommendationLowerBoundCPUPercentile),
		"--recommendation-upper-bound-cpu-percentile=" + fraction(c.RecommendationUpperBoundCPUPercentile),
		"--target-memory-percentile=" + fraction(c.TargetMemoryPercentile),
		"--recommendation-lower-bound-memory-percentile=" + fraction(c.RecommendationLowerBoundMemoryPercentile),
		"--recommendation-upper-bound-memory-percentile=" + fraction(c.RecommendationUpperBoundMemoryPercentile),
		"--cpu-histogram-decay-half-life=" + c.CPUHistogramDecayHalfLife.Duration.String(),
		"--memory-histogram-decay-half-life=" + c.MemoryHistogramDecayHalfLife.Duration.String(),
		"--memory-aggregation-interval=" + c.MemoryAggregationInterval.Duration.String(),
		fmt.Sprintf("--memory-aggregation-interval-count=%d", *c.MemoryAggregationIntervalCount),
		fmt.Sprintf("--update-worker-count=%d", *c.RecommenderUpdateWorkerCount),
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if most, found := c.MaxAllowed[resource]; found {
			args = append(args, fmt.Sprintf("--container-recommendation-max-allowed-%s=%s", resource, most.String()))
		}
	}
	return append(args, gates(c)...)
}

func updaterArgs(c *gardencorev1beta1.VerticalPodAutoscaler) []string {
	return append([]string{
		"--min-replicas=1",
		"--updater-interval=" + c.UpdaterInterval.Duration.String(),
		"--eviction-tolerance=" + fraction(c.EvictionTolerance),
		"--eviction-rate-limit=" + fraction(c.EvictionRateLimit),
		fmt.Sprintf("--eviction-rate-burst=%d", *c.EvictionRateBurst),
		"--evict-after-oom-threshold=" + c.EvictAfterOOMThreshold.Duration.String(),
	}, gates(c)...)
}

func admissionArgs(c *gardencorev1beta1.VerticalPodAutoscaler) []string {
	return append([]string{
		fmt.Sprintf("--bind-address=$(POD_IP):%d", pod.WebhookPort),
		"--tls-cert-file=" + pod.File(dirServer, secretsmanager.KeyCert),
		"--tls-private-key=" + pod.File(dirServer, secretsmanager.KeyPrivateKey),
	}, gates(c)...)
}

func gates(c *gardencorev1beta1.VerticalPodAutoscaler) []string {
	if len(c.FeatureGates) == 0 {
		return nil
	}
	return []string{"--feature-gates=" + strings.Join(flags.Pairs(c.FeatureGates), ",")}
}

func fraction(value *float64) string { return strconv.FormatFloat(*value, 'f', -1, 64) }
