// Package systemcomponents schedules system components on the nodes reserved for them, whatever taints these nodes
// have.
package systemcomponents

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Mutator adds node selectors and tolerations.
type Mutator struct {
	Target client.Reader // reads Nodes
	// NodeSelector selects the nodes whose taints are tolerated; without it no nodes are read.
	NodeSelector map[string]string
	// PodNodeSelector is added to pods; selectors of the pods themselves take precedence.
	PodNodeSelector map[string]string
	// PodTolerations are added to pods in any case.
	PodTolerations []corev1.Toleration
}

// Mutate changes the pod. Pods of daemon sets stay on the nodes that their affinity names, also on nodes for other uses.
func (m *Mutator) Mutate(ctx context.Context, pod *corev1.Pod) error {
	selector := m.PodNodeSelector
	if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "DaemonSet" {
		selector = nil
	}
	for key, value := range selector {
		if pod.Spec.NodeSelector == nil {
			pod.Spec.NodeSelector = map[string]string{}
		}
		if _, own := pod.Spec.NodeSelector[key]; !own {
			pod.Spec.NodeSelector[key] = value
		}
	}
	tolerations := m.PodTolerations
	if len(m.NodeSelector) > 0 {
		nodes := &corev1.NodeList{}
		if err := m.Target.List(ctx, nodes, client.MatchingLabels(m.NodeSelector)); err != nil {
			return fmt.Errorf("list nodes of system components: %w", err)
		}
		tolerations = append(slices.Clone(tolerations), Tolerations(nodes.Items)...)
	}
	for _, toleration := range tolerations {
		if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return same(t, toleration) }) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
		}
	}
	return nil
}

// Tolerations returns tolerations for the taints of the nodes. It ignores taints by which Kubernetes and Gardener
// report the state of a node.
func Tolerations(nodes []corev1.Node) []corev1.Toleration {
	var result []corev1.Toleration
	for i := range nodes {
		for _, taint := range nodes[i].Spec.Taints {
			if about(taint.Key) {
				continue
			}
			toleration := corev1.Toleration{Key: taint.Key, Operator: corev1.TolerationOpEqual, Value: taint.Value, Effect: taint.Effect}
			if !slices.ContainsFunc(result, func(t corev1.Toleration) bool { return same(t, toleration) }) {
				result = append(result, toleration)
			}
		}
	}
	return result
}
