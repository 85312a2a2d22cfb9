package health

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tunnelPods is the maximum number of pods to try: one answer is enough.
const tunnelPods = 3

// tunnelTimeout limits all attempts, so that the caller has time left to find the cause of a failure.
const tunnelTimeout = 2 * requestTimeout

// Tunnel checks whether the API server of the shoot reaches the nodes. It requests the log of a system pod, which only
// a kubelet has. The proxy to a node would be simpler, but API servers refuse it for loopback addresses. A shoot
// without nodes has nothing to reach.
func Tunnel(ctx context.Context, shoot client.Reader, config *rest.Config) error {
	nodes := &corev1.NodeList{}
	if err := shoot.List(ctx, nodes, client.Limit(1)); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	if len(nodes.Items) == 0 {
		return nil
	}
	pods := &corev1.PodList{}
	if err := shoot.List(ctx, pods, client.InNamespace(metav1.NamespaceSystem)); err != nil {
		return fmt.Errorf("list system pods: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, tunnelTimeout)
	defer cancel()
	last := errors.New("no system pod runs on any node yet")
	asked := 0
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil || asked == tunnelPods {
			continue
		}
		asked++
		if last = askLog(ctx, config, pod); last == nil {
			return nil
		}
	}
	return last
}

func askLog(ctx context.Context, config *rest.Config, pod *corev1.Pod) error {
	query := url.Values{"container": {pod.Spec.Containers[0].Name}, "tailLines": {"1"}, "limitBytes": {"100"}}
	path := "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name + "/log?" + query.Encode()
	code, body, err := Get(ctx, config, path)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("answer is %d: %.200s", code, body)
	}
	if err != nil {
		return fmt.Errorf("read log of pod %q on node %q through the API server: %w", pod.Name, pod.Spec.NodeName, err)
	}
	return nil
}
