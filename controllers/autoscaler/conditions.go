package autoscaler

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// counts reports whether an unscheduled pod requests another node: the scheduler has tried and found none.
func counts(pod *corev1.Pod, o Options, now time.Time) bool {
	if pod.DeletionTimestamp != nil || simulate.Ended(pod) || simulate.OfDaemonSet(pod) ||
		int(corev1helpers.PodPriority(pod)) < o.PodPriorityCutoff ||
		o.NewPodScaleUpDelay > 0 && now.Sub(pod.CreationTimestamp.Time) < o.NewPodScaleUpDelay {
		return false
	}
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
	})
}

// ready reports whether pods can run on a node. A node that reports so keeps its first taints for a while, because another
// controller removes them, and counts as not ready until then.
func ready(node *corev1.Node) bool {
	reported := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	return reported && !slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return slices.Contains(unready, taint.Key) })
}

// unready are the keys of taints that Kubernetes sets until a node, its network and its cloud provider are ready.
var unready = []string{corev1.TaintNodeNotReady, corev1.TaintNodeNetworkUnavailable, cloudproviderapi.TaintExternalCloudProvider}

// overdue reports whether a machine did not become a node in time.
func overdue(machine *machinev1alpha1.Machine, g *group.Group, provisioning time.Duration, now time.Time) bool {
	if g.Settings.MaxNodeProvisioning != nil {
		provisioning = *g.Settings.MaxNodeProvisioning
	}
	switch machine.Status.CurrentStatus.Phase {
	case "", machinev1alpha1.MachinePending, machinev1alpha1.MachineAvailable, machinev1alpha1.MachineCrashLoopBackOff:
		return now.Sub(machine.CreationTimestamp.Time) > provisioning
	}
	return false
}

func withoutKeys(taints []corev1.Taint, keys []string) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(taint corev1.Taint) bool { return slices.Contains(keys, taint.Key) })
}

func marked(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == group.ToBeDeletedTaint })
}
