package verticalautoscaler

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/patch"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller/resource/pod/recommendation"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target"
	controllerfetcher "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/target/controller_fetcher"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/config"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/inplace"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater/priority"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/limitrange"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics"
	updatermetrics "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics/updater"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/status"
	vpautil "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
)

// UpdaterCommand is the component vpa-updater. Its flags have the names of the public updater.
func UpdaterCommand() *cobra.Command {
	c := config.DefaultUpdaterConfig()
	return newCommand("vpa-updater", "Replace or resize pods whose requests differ from the recommendation", c.CommonFlags,
		func(flags *pflag.FlagSet) { bindUpdater(flags, c) },
		func(ctx context.Context, p *process, clients *clients) error { return update(ctx, p, clients, c) })
}

func bindUpdater(flags *pflag.FlagSet, c *config.UpdaterConfig) {
	flags.DurationVar(&c.UpdaterInterval, "updater-interval", c.UpdaterInterval, "interval for checking the pods")
	flags.IntVar(&c.MinReplicas, "min-replicas", c.MinReplicas, "minimum number of replicas of a workload whose pods may be evicted")
	flags.Float64Var(&c.EvictionToleranceFraction, "eviction-tolerance", c.EvictionToleranceFraction, "fraction of the replicas that may be evicted at a time")
	flags.Float64Var(&c.EvictionRateLimit, "eviction-rate-limit", c.EvictionRateLimit, "evictions per second; no limit if 0 or -1")
	flags.IntVar(&c.EvictionRateBurst, "eviction-rate-burst", c.EvictionRateBurst, "burst of evictions")
	flags.DurationVar(&c.EvictAfterOOMThreshold, "evict-after-oom-threshold", c.EvictAfterOOMThreshold, "age below which a pod that ran out of memory is evicted")
	flags.BoolVar(&c.UseAdmissionControllerStatus, "use-admission-controller-status", c.UseAdmissionControllerStatus, "evict only while an admission controller runs")
	flags.BoolVar(&c.InPlaceSkipDisruptionBudget, "in-place-skip-disruption-budget", c.InPlaceSkipDisruptionBudget, "resize pods that need no restart for it without regard to budgets")
	flags.Float64Var(&c.DefaultUpdateThreshold, "pod-update-threshold", c.DefaultUpdateThreshold, "relative difference below which a pod is left alone")
	flags.DurationVar(&c.PodLifetimeUpdateThreshold, "in-recommendation-bounds-eviction-lifetime-threshold", c.PodLifetimeUpdateThreshold, "age from which a pod within the bounds may be evicted, too")
}

func update(ctx context.Context, p *process, clients *clients, c *config.UpdaterConfig) error {
	updatermetrics.Register()
	limits, err := limitrange.NewLimitsRangeCalculator(clients.informers)
	if err != nil {
		return fmt.Errorf("follow limit ranges: %w", err)
	}
	processor := vpautil.NewCappingRecommendationProcessor(limits)
	recommendations := recommendation.NewProvider(limits, processor)
	updater, err := logic.NewUpdater(
		clients.kube, clients.vpa, clients.informers,
		logic.NewPodLister(clients.kube, c.CommonFlags.VpaObjectNamespace, ctx.Done()),
		c.MinReplicas, c.EvictionRateLimit, c.EvictionRateBurst, c.EvictionToleranceFraction,
		c.UseAdmissionControllerStatus, c.InPlaceSkipDisruptionBudget,
		c.DefaultUpdateThreshold, c.PodLifetimeUpdateThreshold, c.EvictAfterOOMThreshold,
		status.AdmissionControllerStatusNamespace, processor,
		priority.NewScalingDirectionPodEvictionAdmission(),
		target.NewVpaTargetSelectorFetcher(clients.config, clients.kube, clients.informers, ctx.Done()),
		controllerfetcher.NewControllerFetcher(clients.config, clients.kube, clients.informers, scaleFresh, scaleLife, scaleJitter, ctx.Done()),
		priority.NewProcessor(),
		c.CommonFlags.VpaObjectNamespace, strings.Split(c.CommonFlags.IgnoredVpaObjectNamespaces, ","),
		[]patch.Calculator{inplace.NewResourceInPlaceUpdatesCalculator(recommendations), inplace.NewInPlaceUpdatedCalculator(), inplace.NewUnboostAnnotationCalculator()},
	)
	if err != nil {
		return fmt.Errorf("make updater: %w", err)
	}
	if err := clients.sync(ctx); err != nil {
		return err
	}
	health := metrics.NewHealthCheck(c.UpdaterInterval * missedRounds)
	if err := p.serveHealth(ctx, health); err != nil {
		return err
	}
	health.StartMonitoring()
	everyInterval(ctx, c.UpdaterInterval, func(ctx context.Context) {
		updater.RunOnce(ctx)
		health.UpdateLastActivity()
	})
	return nil
}

// everyInterval calls round until ctx ends; a round may take as long as the interval.
func everyInterval(ctx context.Context, interval time.Duration, round func(context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			bounded, cancel := context.WithTimeout(ctx, interval)
			round(bounded)
			cancel()
		}
	}
}
