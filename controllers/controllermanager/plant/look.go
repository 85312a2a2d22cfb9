package plant

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Observation is what was seen of a cluster.
type Observation struct {
	Unusable error // why the cluster could not even be asked
	Down     error // why there was no answer
	Health   int   // status of the answer to the question for its health
	Version  *version.Info
	Nodes    []corev1.Node
	NodesErr error // why the nodes are not known
}

// Look asks a cluster.
func Look(ctx context.Context, config *rest.Config) Observation {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return Observation{Unusable: fmt.Errorf("make client: %w", err)}
	}
	var seen Observation
	result := clients.RESTClient().Get().AbsPath("/healthz").Do(ctx)
	if result.StatusCode(&seen.Health); seen.Health == 0 {
		seen.Down = result.Error()
	}
	if seen.Down != nil || seen.Health != http.StatusOK {
		return seen
	}
	seen.Version, _ = clients.ServerVersion() // who may list nodes but not read the version sees the old one
	nodes, err := clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		seen.NodesErr = err
		return seen
	}
	seen.Nodes = nodes.Items
	return seen
}
