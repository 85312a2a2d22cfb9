package health

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tunnelNodes is how many nodes are asked at most: one that answers is enough.
const tunnelNodes = 3

// Tunnel tells whether the shoot's API server reaches the nodes: it asks it to ask a kubelet. A shoot without nodes has
// nothing to reach.
func Tunnel(ctx context.Context, shoot client.Reader, config *rest.Config) error {
	nodes := &corev1.NodeList{}
	if err := shoot.List(ctx, nodes, client.Limit(tunnelNodes)); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout*time.Duration(max(len(nodes.Items), 1)))
	defer cancel()
	var last error
	for _, node := range nodes.Items {
		code, body, err := Get(ctx, config, "/api/v1/nodes/"+node.Name+"/proxy/healthz")
		if err == nil && code == http.StatusOK {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("answer is %d: %.200s", code, body)
		}
		last = fmt.Errorf("reach node %q through the API server: %w", node.Name, err)
	}
	return last
}
