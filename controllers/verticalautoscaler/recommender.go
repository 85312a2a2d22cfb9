package verticalautoscaler

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/routines"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics/quality"
	recommendermetrics "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics/recommender"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics/resources"
)

// missedRounds is the number of missed rounds after which a part counts as unhealthy.
const missedRounds = 5

// RecommenderCommand is the component vpa-recommender. Its flags have the names of the public recommender.
func RecommenderCommand() *cobra.Command {
	c := config.DefaultRecommenderConfig()
	return newCommand("vpa-recommender", "Recommend requests for pods from their metrics", c.CommonFlags,
		func(flags *pflag.FlagSet) { bindRecommender(flags, c) },
		func(ctx context.Context, p *process, clients *clients) error { return recommend(ctx, p, clients, c) })
}

func bindRecommender(flags *pflag.FlagSet, c *config.RecommenderConfig) {
	flags.DurationVar(&c.MetricsFetcherInterval, "recommender-interval", c.MetricsFetcherInterval, "interval for reading the metrics")
	flags.DurationVar(&c.CheckpointsGCInterval, "checkpoints-gc-interval", c.CheckpointsGCInterval, "interval for deleting unused checkpoints")
	flags.DurationVar(&c.CheckpointsWriteTimeout, "checkpoints-timeout", c.CheckpointsWriteTimeout, "time limit for writing checkpoints in a round")
	flags.BoolVar(&c.MemorySaver, "memory-saver", c.MemorySaver, "follow only pods with an autoscaler")
	flags.IntVar(&c.UpdateWorkerCount, "update-worker-count", c.UpdateWorkerCount, "number of recommendations written at once")
	flags.Float64Var(&c.SafetyMarginFraction, "recommendation-margin-fraction", c.SafetyMarginFraction, "safety margin of recommendations, as a fraction of the usage")
	flags.Float64Var(&c.PodMinCPUMillicores, "pod-recommendation-min-cpu-millicores", c.PodMinCPUMillicores, "minimum CPU for a pod")
	flags.Float64Var(&c.PodMinMemoryMb, "pod-recommendation-min-memory-mb", c.PodMinMemoryMb, "minimum memory for a pod")
	flags.Float64Var(&c.TargetCPUPercentile, "target-cpu-percentile", c.TargetCPUPercentile, "percentile of CPU usage to recommend")
	flags.Float64Var(&c.LowerBoundCPUPercentile, "recommendation-lower-bound-cpu-percentile", c.LowerBoundCPUPercentile, "percentile of CPU usage for the lower bound")
	flags.Float64Var(&c.UpperBoundCPUPercentile, "recommendation-upper-bound-cpu-percentile", c.UpperBoundCPUPercentile, "percentile of CPU usage for the upper bound")
	flags.Float64Var(&c.TargetMemoryPercentile, "target-memory-percentile", c.TargetMemoryPercentile, "percentile of memory usage to recommend")
	flags.Float64Var(&c.LowerBoundMemoryPercentile, "recommendation-lower-bound-memory-percentile", c.LowerBoundMemoryPercentile, "percentile of memory usage for the lower bound")
	flags.Float64Var(&c.UpperBoundMemoryPercentile, "recommendation-upper-bound-memory-percentile", c.UpperBoundMemoryPercentile, "percentile of memory usage for the upper bound")
	flags.DurationVar(&c.CpuHistogramDecayHalfLife, "cpu-histogram-decay-half-life", c.CpuHistogramDecayHalfLife, "half-life of the weight of a CPU sample")
	flags.DurationVar(&c.MemoryHistogramDecayHalfLife, "memory-histogram-decay-half-life", c.MemoryHistogramDecayHalfLife, "half-life of the weight of a memory sample")
	flags.DurationVar(&c.MemoryAggregationInterval, "memory-aggregation-interval", c.MemoryAggregationInterval, "duration that one memory sample covers")
	flags.Int64Var(&c.MemoryAggregationIntervalCount, "memory-aggregation-interval-count", c.MemoryAggregationIntervalCount, "number of memory samples that are kept")
	flags.Var(quantity{&c.MaxAllowedCPU}, "container-recommendation-max-allowed-cpu", "maximum CPU for a container; no limit if empty")
	flags.Var(quantity{&c.MaxAllowedMemory}, "container-recommendation-max-allowed-memory", "maximum memory for a container; no limit if empty")
}

func recommend(ctx context.Context, p *process, clients *clients, c *config.RecommenderConfig) error {
	recommendermetrics.Register()
	quality.Register()
	resources.Register()
	health := metrics.NewHealthCheck(c.MetricsFetcherInterval * missedRounds)
	controller, err := routines.NewRecommenderController(ctx, clients.config, clients.kube, clients.vpa, clients.informers, c, health, ctx.Done())
	if err != nil {
		return fmt.Errorf("make recommender: %w", err)
	}
	if err := clients.sync(ctx); err != nil {
		return err
	}
	if err := p.serveHealth(ctx, health); err != nil {
		return err
	}
	if err := controller.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("run recommender: %w", err)
	}
	return nil
}
