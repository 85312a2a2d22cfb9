package plant

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/shortanswers"
)

// Observation is what a look at a cluster found.
type Observation struct {
	Unusable error // the error that prevented a request
	Down     error // the error of the request
	Health   int   // status code of the health endpoint
	Version  *version.Info
	Nodes    []corev1.Node
	NodesErr error // why the nodes could not be listed
}

// bounded returns a configuration for the server of a Plant, which a user chooses: it answers with what it likes.
func bounded(config *rest.Config) *rest.Config {
	out := shortanswers.Only(config)
	out.AcceptContentTypes, out.ContentType = runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON, runtime.ContentTypeJSON
	return out
}

// Look reads the state of a cluster through its API server.
func Look(ctx context.Context, config *rest.Config) Observation {
	clients, err := kubernetes.NewForConfig(bounded(config))
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
	seen.Version, _ = clients.ServerVersion() // a user who may list nodes but not read the version keeps the old version
	nodes, err := clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		seen.NodesErr = err
		return seen
	}
	seen.Nodes = nodes.Items
	return seen
}
