package scaledown

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
)

// Annotations of pods.
const (
	safeToEvict        = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	safeToEvictVolumes = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
)

// rules decide which pods may move. left is how many disruptions each budget still permits.
type rules struct {
	budgets  []policyv1.PodDisruptionBudget
	settings Settings
	left     map[int]int32
}

func newRules(budgets []policyv1.PodDisruptionBudget, settings Settings) *rules {
	r := &rules{budgets: budgets, settings: settings, left: map[int]int32{}}
	for i := range budgets {
		r.left[i] = budgets[i].Status.DisruptionsAllowed
	}
	return r
}

func (r *rules) save() map[int]int32        { return maps.Clone(r.left) }
func (r *rules) restore(left map[int]int32) { r.left = left }

// moving returns the pods that have to leave the node; false if one of them must not move.
func (r *rules) moving(n *simulate.Node) ([]*corev1.Pod, bool) {
	var out []*corev1.Pod
	for _, pod := range n.Pods {
		if staysBehind(pod) {
			continue
		}
		if r.bound(pod) {
			return nil, false
		}
		out = append(out, pod)
	}
	return out, true
}

// staysBehind reports whether a pod ends with its node, or ends anyway.
func staysBehind(pod *corev1.Pod) bool {
	_, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return mirror || pod.DeletionTimestamp != nil || simulate.Ended(pod) || simulate.OfDaemonSet(pod)
}

// bound reports whether a pod must stay on its node.
func (r *rules) bound(pod *corev1.Pod) bool {
	switch pod.Annotations[safeToEvict] {
	case "true":
		return false
	case "false":
		return true
	}
	switch {
	case metav1.GetControllerOf(pod) == nil: // no controller would create it again
		return true
	case r.settings.KeepLocalStorage && hasLocalStorage(pod):
		return true
	case r.settings.KeepSystemPods && pod.Namespace == metav1.NamespaceSystem && len(r.budgetsOf(pod)) == 0:
		return true
	}
	return false
}

// hasLocalStorage reports whether a pod stores data on the node. Memory, configuration and volumes named in an
// annotation do not count.
func hasLocalStorage(pod *corev1.Pod) bool {
	safe := map[string]bool{}
	for _, name := range splitList(pod.Annotations[safeToEvictVolumes]) {
		safe[name] = true
	}
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool {
		local := volume.HostPath != nil || volume.EmptyDir != nil && volume.EmptyDir.Medium != corev1.StorageMediumMemory
		return local && !safe[volume.Name]
	})
}

// take uses one disruption of each budget of the pod; false if a budget permits none.
func (r *rules) take(pod *corev1.Pod) bool {
	for _, i := range r.budgetsOf(pod) {
		if r.left[i] <= 0 {
			return false
		}
		r.left[i]--
	}
	return true
}

func (r *rules) budgetsOf(pod *corev1.Pod) []int {
	var out []int
	for i := range r.budgets {
		selector, err := metav1.LabelSelectorAsSelector(r.budgets[i].Spec.Selector)
		if err == nil && r.budgets[i].Namespace == pod.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			out = append(out, i)
		}
	}
	return out
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
