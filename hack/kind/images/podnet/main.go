// Command podnet connects the pods of the nodes of a test cluster, for environments without the network of
// kindest/node. On each node it writes a CNI configuration for the range of the node, maintains routes to the ranges of
// the other nodes, and lets pods reach the outside by the address of the node. It enforces NetworkPolicies, see package
// networkpolicy.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/local/networkpolicy"
)

const (
	// interval for listing the nodes; the maximum time until a new node is reachable.
	interval = 2 * time.Second
	// configFile is the only CNI configuration of a node.
	configFile = "10-podnet.conflist"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	node := flag.String("node", "", "name of the node this runs on")
	podRange := flag.String("pod-range", "", "range of all pods of the cluster")
	cniDir := flag.String("cni-dir", "/etc/cni/net.d", "directory of CNI configurations")
	flag.Parse()
	if err := run(ctx, *node, *podRange, *cniDir); err != nil {
		fmt.Fprintln(os.Stderr, "podnet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, node, podRange, cniDir string) error {
	cfg, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("read service account: %w", err)
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	failed := make(chan error, 1)
	go func() { failed <- networkpolicy.Enforce(ctx, client, node) }()
	for ticker := time.NewTicker(interval); ; {
		if err := sync(ctx, client, node, podRange, cniDir); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "podnet:", err) // the API server may be unavailable; the next round retries
		}
		select {
		case err := <-failed:
			ticker.Stop()
			return err
		case <-ticker.C:
		}
	}
}

func sync(ctx context.Context, client kubernetes.Interface, node, podRange, cniDir string) error {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	own, routes := plan(list.Items, node)
	if own == "" {
		return fmt.Errorf("node %s has no range of pods yet", node)
	}
	if err := masquerade(ctx, own, podRange); err != nil {
		return err
	}
	if err := setRoutes(ctx, routes); err != nil {
		return err
	}
	return writeConfig(cniDir, own)
}

// plan returns the pod range of the node and, for every other node with an address, the range that is reached by it.
func plan(nodes []corev1.Node, name string) (own string, routes map[string]string) {
	routes = map[string]string{}
	for _, node := range nodes {
		if node.Name == name {
			own = node.Spec.PodCIDR
			continue
		}
		for _, address := range node.Status.Addresses {
			if address.Type == corev1.NodeInternalIP && node.Spec.PodCIDR != "" {
				routes[node.Spec.PodCIDR] = address.Address
				break
			}
		}
	}
	return own, routes
}
