package seed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
)

// AwaitEnded waits until no pod with these labels is ending. While it ends, a pod still serves the clients that are connected, but the
// status of its owner does not count it any more.
func (s Space) AwaitEnded(ctx context.Context, labels map[string]string) error {
	return s.awaitPods(ctx, labels, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// AwaitNoPods waits until no pod with these labels runs or may run.
func (s Space) AwaitNoPods(ctx context.Context, labels map[string]string) error {
	return s.awaitPods(ctx, labels, func(*corev1.Pod) bool { return true })
}

// awaitPods waits for those that concerns names. A pod that has ended stays in the API, for example when it was evicted. It keeps nobody.
func (s Space) awaitPods(ctx context.Context, labels map[string]string, concerns func(*corev1.Pod) bool) error {
	return await.Poll(ctx, func() error {
		pods := &corev1.PodList{}
		if err := s.Client.List(ctx, pods, client.InNamespace(s.Name), client.MatchingLabels(labels)); err != nil {
			return fmt.Errorf("list pods with labels %v: %w", labels, err)
		}
		for i := range pods.Items {
			pod := &pods.Items[i]
			ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
			if !ended && concerns(pod) {
				return fmt.Errorf("pod %q has not ended yet", pod.Name)
			}
		}
		return nil
	})
}
