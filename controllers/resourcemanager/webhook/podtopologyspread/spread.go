// Package podtopologyspread makes topology spread constraints count only pods of one ReplicaSet. Otherwise old pods
// count during a rolling update, and the new pods end up unevenly spread.
package podtopologyspread

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Mutate adds the hash of the pod template to all constraints of the pod. It is idempotent.
func Mutate(_ context.Context, pod *corev1.Pod) error {
	hash := pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	if hash == "" {
		return nil
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		if slices.Contains(constraint.MatchLabelKeys, appsv1.DefaultDeploymentUniqueLabelKey) {
			continue // Kubernetes does the same by itself then
		}
		if constraint.LabelSelector == nil {
			constraint.LabelSelector = &metav1.LabelSelector{}
		}
		if constraint.LabelSelector.MatchLabels == nil {
			constraint.LabelSelector.MatchLabels = map[string]string{}
		}
		constraint.LabelSelector.MatchLabels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	}
	return nil
}
