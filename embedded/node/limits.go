package node

import (
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/node/machine"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
)

// defaultPeriod is the kubelet's own value of cpuCFSQuotaPeriod.
const defaultPeriod = 100 * time.Millisecond

// limitsOf returns the limits of all containers of a pod together, as the kubelet computes them for the control group of a pod: a pod with a container without a
// limit has none. A pod that is nil, because it is gone, only has the limit of processes.
func (c Config) limitsOf(pod *corev1.Pod) groups.Limits {
	limits := groups.Limits{Processes: ptr.Deref(c.Kubelet.PodPidsLimit, 0)}
	if pod == nil {
		return limits
	}
	period := defaultPeriod
	if own := c.Kubelet.CPUCFSQuotaPeriod; own != nil && own.Duration > 0 {
		period = own.Duration
	}
	computed := cm.ResourceConfigForPod(pod, ptr.Deref(c.Kubelet.CPUCFSQuota, true), uint64(period.Microseconds()), false, "")
	limits.Memory, limits.CPUShares = ptr.Deref(computed.Memory, 0), ptr.Deref(computed.CPUShares, 0)
	if quota := ptr.Deref(computed.CPUQuota, 0); quota > 0 {
		limits.CPUQuota, limits.CPUPeriod = quota, period.Microseconds()
	}
	limits.Containers = len(pod.Spec.InitContainers) + len(pod.Spec.Containers)
	return limits
}

// bounded gives a pod without a limit of memory nine tenths of that of the node. If it took all, the kernel would have to choose among all pods of the node, and it does
// not see which is the largest: gVisor has most memory of its containers mapped nowhere.
func (c Config) bounded(limits groups.Limits) groups.Limits {
	if limits.Memory == 0 {
		limits.Memory = c.podMemory() / 10 * 9
	}
	return limits
}

// podMemory is how many bytes of memory all pods of the node have: what the Node shows as allocatable. 0 means that the machine does not tell.
func (c Config) podMemory() int64 {
	total := int64(min(machine.Memory(), math.MaxInt64))
	reserved := int64(0)
	for _, text := range []string{c.Kubelet.KubeReserved[string(corev1.ResourceMemory)], c.Kubelet.SystemReserved[string(corev1.ResourceMemory)]} {
		if quantity, err := resource.ParseQuantity(text); err == nil { // the kubelet reports the others
			reserved += max(quantity.Value(), 0)
		}
	}
	if reserved >= total {
		return total
	}
	return total - reserved
}

// openGroup makes the control group of the node in that of its cluster. All nodes of a cluster are on this machine, which is the capacity of each, so the cluster
// has no more than the machine. What an earlier kubelet of the node has left is removed.
func (c Config) openGroup(root groups.Group, cluster string) (node groups.Group, closeGroup func(), err error) {
	var of groups.Group
	for range 3 { // the last node of the cluster that ends removes its group
		if of, err = root.Make(cluster, groups.Limits{Memory: int64(min(machine.Memory(), math.MaxInt64))}); err != nil {
			continue
		}
		if node, err = of.Make(c.Name, groups.Limits{Memory: c.podMemory()}); err == nil {
			break
		}
	}
	if err != nil {
		return node, nil, fmt.Errorf("limit the pods of node %s: %w", c.Name, err)
	}
	node.Tidy()
	return node, func() {
		if err := node.Remove(); err != nil {
			c.Log.Info("A control group is left until the landscape stops", "reason", err.Error())
		}
		of.RemoveIfEmpty()
	}, nil
}
