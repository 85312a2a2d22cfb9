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

	"github.com/gardener-up/gardener-up/embedded/pages"
)

const (
	// tunnelPods is the maximum number of pods to try: one answer is enough.
	tunnelPods = 3
	// mostPods is how many pods are looked at until enough of them run: some of each node.
	mostPods = 10 * MostNodes
)

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
	running, err := runningPods(ctx, shoot)
	if err != nil {
		return fmt.Errorf("list system pods: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, tunnelTimeout)
	defer cancel()
	last := errors.New("no system pod runs on any node yet")
	for i := range running {
		if last = askLog(ctx, config, &running[i]); last == nil {
			return nil
		}
	}
	return last
}

// runningPods returns a few running system pods.
func runningPods(ctx context.Context, shoot client.Reader) ([]corev1.Pod, error) {
	var out []corev1.Pod
	for page, err := range pages.Of(ctx, shoot, &corev1.PodList{}, mostPods, client.InNamespace(metav1.NamespaceSystem)) {
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if pod := &page.Items[i]; pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
				out = append(out, *pod)
			}
			if len(out) == tunnelPods {
				return out, nil
			}
		}
	}
	return out, nil
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
