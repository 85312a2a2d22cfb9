package autoscaler

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaledown"
)

// Options are the settings of the autoscaler.
type Options struct {
	// Namespace of the MachineDeployments.
	Namespace string
	// Nodes are the groups as min:max:namespace.name.
	Nodes []string
	// ScanInterval is the time between two rounds.
	ScanInterval time.Duration
	// Expander lists the expanders that choose among groups, separated by commas.
	Expander string
	// NewPodScaleUpDelay is the minimum age, PodPriorityCutoff the minimum priority of pods that count.
	NewPodScaleUpDelay time.Duration
	PodPriorityCutoff  int
	// MaxNodeProvisionTime is how long a machine may take to become a node.
	MaxNodeProvisionTime time.Duration
	// ScaleDown turns the removal of nodes on.
	ScaleDown bool
	scaledown.Settings
	// DelayAfterAdd, DelayAfterDelete and DelayAfterFailure are how long no node is removed after machines were added,
	// after one was removed, and after a removal failed.
	DelayAfterAdd, DelayAfterDelete, DelayAfterFailure time.Duration
	// MaxGracefulTermination is the longest grace period of pods.
	MaxGracefulTermination time.Duration
	// StartupTaints, StatusTaints and IgnoredTaints are keys of temporary taints.
	StartupTaints, StatusTaints, IgnoredTaints []string
	// InitialBackoff is how long a group pauses after its machines did not become nodes. The pause doubles up to
	// MaxBackoff, and starts over after BackoffReset.
	InitialBackoff, MaxBackoff, BackoffReset time.Duration
}

// Bind registers the flags, by the names and with the defaults of the public autoscaler.
func (o *Options) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&o.Namespace, "namespace", "", "namespace of the machine deployments (default: the pod's)")
	flags.StringArrayVar(&o.Nodes, "nodes", nil, "bounds of a machine deployment as min:max:namespace.name; repeatable")
	flags.DurationVar(&o.ScanInterval, "scan-interval", 10*time.Second, "time between two evaluations")
	flags.StringVar(&o.Expander, "expander", "least-waste", "who chooses the group that grows: least-waste, most-pods, least-nodes, priority, random, or several of them")
	flags.DurationVar(&o.NewPodScaleUpDelay, "new-pod-scale-up-delay", 0, "age from which pods without node count")
	flags.IntVar(&o.PodPriorityCutoff, "expendable-pods-priority-cutoff", -10, "pods below this priority make nothing grow")
	flags.DurationVar(&o.MaxNodeProvisionTime, "max-node-provision-time", 15*time.Minute, "how long a machine may take to become a node")

	flags.BoolVar(&o.ScaleDown, "scale-down-enabled", true, "whether nodes may go")
	flags.Float64Var(&o.UtilizationThreshold, "scale-down-utilization-threshold", 0.5, "share of requests below which a node may go")
	flags.DurationVar(&o.UnneededTime, "scale-down-unneeded-time", 10*time.Minute, "how long a node is unneeded before it goes")
	flags.DurationVar(&o.UnreadyTime, "scale-down-unready-time", 20*time.Minute, "how long a node is unready before it goes")
	flags.DurationVar(&o.DelayAfterAdd, "scale-down-delay-after-add", 10*time.Minute, "how long no node goes after machines were added")
	flags.DurationVar(&o.DelayAfterDelete, "scale-down-delay-after-delete", 0, "how long no node goes after one went")
	flags.DurationVar(&o.DelayAfterFailure, "scale-down-delay-after-failure", 3*time.Minute, "how long no node goes after one could not")
	flags.IntVar(&o.MaxAtOnce, "max-scale-down-parallelism", 10, "how many nodes go at once")
	flags.IntVar(&o.MaxDrained, "max-drain-parallelism", 1, "how many nodes with pods go at once")
	flags.BoolVar(&o.IgnoreDaemonSets, "ignore-daemonsets-utilization", false, "whether pods of DaemonSets do not count")
	flags.BoolVar(&o.KeepLocalStorage, "skip-nodes-with-local-storage", true, "whether nodes with data of pods stay")
	flags.BoolVar(&o.KeepSystemPods, "skip-nodes-with-system-pods", true, "whether nodes with pods of kube-system without disruption budget stay")
	flags.Var(seconds{&o.MaxGracefulTermination}, "max-graceful-termination-sec", "seconds that pods get to end at most")

	flags.StringArrayVar(&o.StartupTaints, "startup-taint", nil, "key of a taint that new nodes lose by themselves; repeatable")
	flags.StringArrayVar(&o.StatusTaints, "status-taint", nil, "key of a taint that tells about the state of a node; repeatable")
	flags.StringArrayVar(&o.IgnoredTaints, "ignore-taint", nil, "the former name of --startup-taint")
	flags.DurationVar(&o.InitialBackoff, "initial-node-group-backoff-duration", 5*time.Minute, "how long a group rests when its machines did not come")
	flags.DurationVar(&o.MaxBackoff, "max-node-group-backoff-duration", 30*time.Minute, "how long it rests at most when that happens again")
	flags.DurationVar(&o.BackoffReset, "node-group-backoff-reset-timeout", 3*time.Hour, "after which time that is forgotten")
	o.MaxGracefulTermination = 10 * time.Minute
}

// Groups are the bounds of all groups.
func (o *Options) Groups() ([]group.Bounds, error) {
	var out []group.Bounds
	for _, text := range o.Nodes {
		bounds, err := group.ParseBounds(text, o.Namespace)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(b group.Bounds) bool { return b.Name == bounds.Name }) {
			return nil, fmt.Errorf("read --nodes=%s: the group is named twice", text)
		}
		out = append(out, bounds)
	}
	return out, nil
}

// passing are the keys of temporary taints.
func (o *Options) passing() []string {
	return slices.Concat(o.StartupTaints, o.StatusTaints, o.IgnoredTaints)
}
