// Package cluster makes clients of a runtime cluster that exists already. An operator names it by a kubeconfig. The package reads from the
// cluster and changes nothing.
package cluster

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// Limits of requests. Installing sends many small ones in a row.
const qps, burst = 50, 100

// Cluster is a runtime cluster.
type Cluster struct {
	Config *rest.Config
	// Client is uncached and knows the kinds of a runtime cluster.
	Client client.Client
	// Kubernetes reads what the other client cannot: the version and logs.
	Kubernetes kubernetes.Interface
}

// Open reads a kubeconfig and makes clients for one of its contexts; empty means the current one. An empty file means $KUBECONFIG, or
// the usual file. It sends nothing.
func Open(kubeconfig, context string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig of the runtime cluster: %w", err)
	}
	return For(config)
}

// For makes clients with a configuration.
func For(config *rest.Config) (*Cluster, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst, config.UserAgent = qps, burst, "gardener-bootstrap"
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make client of the runtime cluster: %w", err)
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client of the runtime cluster: %w", err)
	}
	return &Cluster{Config: config, Client: c, Kubernetes: typed}, nil
}
