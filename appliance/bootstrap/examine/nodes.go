package examine

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
)

// Free capacity that the components of a Garden need, by what they request.
const neededCPU, neededMemory = "500m", "1Gi"

// nodes returns those that take pods of any kind.
func (e *examination) nodes() (usable []corev1.Node) {
	const check = "nodes"
	all := &corev1.NodeList{}
	if err := e.in.Cluster.Client.List(e.ctx, all); err != nil {
		e.problem(check, "see: kubectl get nodes", "nodes cannot be listed: %v", err)
		return nil
	}
	var unready []string
	for _, node := range all.Items {
		switch {
		case node.Labels[corev1.LabelOSStable] != "" && node.Labels[corev1.LabelOSStable] != "linux":
		case !isReady(&node):
			unready = append(unready, node.Name)
		case node.Spec.Unschedulable || slices.ContainsFunc(node.Spec.Taints, repels):
		default:
			usable = append(usable, node)
			e.facts.Architectures = addOnce(e.facts.Architectures, node.Status.NodeInfo.Architecture)
			e.facts.Zones = addOnce(e.facts.Zones, node.Labels[corev1.LabelTopologyZone])
		}
	}
	slices.Sort(e.facts.Architectures)
	slices.Sort(e.facts.Zones)
	if len(usable) == 0 {
		e.problem(check, "make a node ready, and let it take pods without tolerations", "none of %d nodes takes pods", len(all.Items))
		return nil
	}
	if len(unready) > 0 {
		e.warn(check, "repair these nodes, or remove them from the cluster", "not ready: %s", strings.Join(unready, ", "))
		return usable
	}
	e.ok(check, "%d of %d take pods, of %s", len(usable), len(all.Items), strings.Join(e.facts.Architectures, " and "))
	return usable
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// repels reports whether a taint keeps pods without tolerations away.
func repels(taint corev1.Taint) bool { return taint.Effect != corev1.TaintEffectPreferNoSchedule }

// capacity compares what pods request with what the nodes have. Components of a Garden that run already count as taken, so a second
// bootstrap does not ask for their room.
func (e *examination) capacity(nodes []corev1.Node) {
	const check = "capacity"
	if len(nodes) == 0 {
		return
	}
	free := map[corev1.ResourceName]*resource.Quantity{corev1.ResourceCPU: {}, corev1.ResourceMemory: {}}
	on := map[string]bool{}
	for _, node := range nodes {
		on[node.Name] = true
		for name, sum := range free {
			sum.Add(node.Status.Allocatable[name])
		}
	}
	pods := &corev1.PodList{}
	if err := e.in.Cluster.Client.List(e.ctx, pods); err != nil {
		e.problem(check, "see: kubectl get pods -A", "pods cannot be listed: %v", err)
		return
	}
	installed := false
	for _, pod := range pods.Items {
		installed = installed || isOperator(&pod)
		if !on[pod.Spec.NodeName] || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, container := range pod.Spec.Containers {
			for name, sum := range free {
				sum.Sub(container.Resources.Requests[name])
			}
		}
	}
	cpu, memory := free[corev1.ResourceCPU], free[corev1.ResourceMemory]
	if !installed && (cpu.Cmp(resource.MustParse(neededCPU)) < 0 || memory.Cmp(resource.MustParse(neededMemory)) < 0) {
		e.problem(check, "add nodes, or remove pods", "%s cores and %s are not requested by pods; a Garden needs %s and %s", cpu, short(memory), neededCPU, neededMemory)
		return
	}
	e.ok(check, "%s cores and %s are not requested by pods", cpu, short(memory))
}

// short is a quantity of memory in MiB.
func short(memory *resource.Quantity) string {
	return resource.NewQuantity(memory.Value()>>20<<20, resource.BinarySI).String()
}

// isOperator reports whether a pod is that of the operator that a bootstrap has installed.
func isOperator(pod *corev1.Pod) bool {
	return objects.Ours(pod) && strings.HasPrefix(pod.Name, objects.Operator+"-")
}
