package lifecycle

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
)

// drain makes the node unschedulable and evicts its pods. It returns how many are left and does not wait for them.
func (r *Reconciler) drain(ctx context.Context, node *corev1.Node) (int, error) {
	err := patch.Metadata(ctx, r.Target, node, func() { node.Spec.Unschedulable = true })
	if err != nil {
		return 0, fmt.Errorf("cordon: %w", err)
	}
	pods := &corev1.PodList{}
	if err := r.TargetReader.List(ctx, pods, client.MatchingFields{"spec.nodeName": node.Name}); err != nil {
		return 0, fmt.Errorf("list pods of node %q: %w", node.Name, err)
	}
	left := 0
	var failures []error
	for i := range pods.Items {
		pod := &pods.Items[i]
		if stays(pod) {
			continue
		}
		left++
		if pod.DeletionTimestamp == nil {
			failures = append(failures, r.evict(ctx, pod))
		}
	}
	return left, errors.Join(failures...)
}

// stays reports whether the pod only ends with its node: it has already ended, or a DaemonSet or the kubelet would
// recreate it at once.
func stays(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return true
	}
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

// evict asks a pod to leave. A refusal by a disruption budget is not an error; the eviction is repeated later.
func (r *Reconciler) evict(ctx context.Context, pod *corev1.Pod) error {
	err := r.Target.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsTooManyRequests(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("evict pod %q: %w", client.ObjectKeyFromObject(pod), err)
}
