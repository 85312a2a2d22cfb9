package simulate

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Daemons builds the pods that DaemonSets would put on a node, so that the node does not seem emptier than it will
// be.
func Daemons(sets []appsv1.DaemonSet, node *corev1.Node) []*corev1.Pod {
	var out []*corev1.Pod
	for i := range sets {
		set := &sets[i]
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: set.Namespace, Name: set.Name + "-" + node.Name, Labels: set.Spec.Template.Labels, Annotations: set.Spec.Template.Annotations,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))},
			},
			Spec: *set.Spec.Template.Spec.DeepCopy(),
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, daemonTolerations...)
		if set.DeletionTimestamp == nil && Suits(pod, node) {
			pod.Spec.NodeName = node.Name
			out = append(out, pod)
		}
	}
	return out
}

// daemonTolerations are the tolerations that the DaemonSet controller adds to all its pods.
var daemonTolerations = []corev1.Toleration{
	{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
}

// OfDaemonSet reports whether a pod starts and ends with its node.
func OfDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}
