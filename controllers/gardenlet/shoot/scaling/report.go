package scaling

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	vpav1 "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"

	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
)

// container is the container of etcd in the pods of an Etcd.
const container = "etcd"

// reasons are the changes that are not made, one for each reason. They have no time, so that the status changes only with them.
func reasons(blocked []string, recommended corev1.ResourceList) (out []autoscalingv1alpha1.BlockedScaling) {
	slices.Sort(blocked)
	for _, reason := range slices.Compact(blocked) {
		out = append(out, autoscalingv1alpha1.BlockedScaling{Reason: reason, ScalingStatus: autoscalingv1alpha1.ScalingStatus{VpaStatus: requestsOf(recommended)}})
	}
	return out
}

func requestsOf(list corev1.ResourceList) autoscalingv1alpha1.VpaStatus {
	return autoscalingv1alpha1.VpaStatus{ContainerResources: []autoscalingv1alpha1.ContainerResources{{ContainerName: container, Target: list}}}
}

func equal(a, b corev1.ResourceList) bool { return equality.Semantic.DeepEqual(a, b) }

// same reports whether an autoscaler has what is wanted of it. The API server may have added defaults.
func same(wanted, found *vpav1.VerticalPodAutoscaler) bool {
	return equality.Semantic.DeepDerivative(wanted.Spec, found.Spec) && equality.Semantic.DeepDerivative(wanted.OwnerReferences, found.OwnerReferences)
}
