// Command podnet connects the pods of the nodes of a test cluster, for environments without the network of
// kindest/node. On each node it writes a CNI configuration for the range of the node, maintains routes to the ranges of
// the other nodes, and lets pods reach the outside by the address of the node. It watches the nodes, and runs programs
// only when they have changed. It enforces NetworkPolicies, see package networkpolicy.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/local/networkpolicy"
)

const (
	// interval for looking at the nodes in memory; the maximum time until a new node is reachable.
	interval = 2 * time.Second
	// repair is how often routes and rules are set that have not changed, since somebody else may have removed them.
	repair = time.Minute
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
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(slim))
	nodes := factory.Core().V1().Nodes().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	last := settings{}
	for ticker := time.NewTicker(interval); ; {
		if err := sync(ctx, nodes, node, podRange, cniDir, &last); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "podnet:", err) // the next round retries
		}
		select {
		case err := <-failed:
			ticker.Stop()
			return err
		case <-ticker.C:
		}
	}
}

// slim leaves of nodes what routes are made of.
func slim(object any) (any, error) {
	if node, ok := object.(*corev1.Node); ok {
		node.ManagedFields, node.Annotations = nil, nil
		node.Status = corev1.NodeStatus{Addresses: node.Status.Addresses}
	}
	return object, nil
}

// settings are what a node has been given, and when.
type settings struct {
	own    string
	routes map[string]string
	at     time.Time
}

// sync gives the node its settings if they have changed or are due for a repair.
func sync(ctx context.Context, nodes corelisters.NodeLister, node, podRange, cniDir string, last *settings) error {
	all, err := nodes.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	own, routes := plan(all, node)
	if own == "" {
		return fmt.Errorf("node %s has no range of pods yet", node)
	}
	now := time.Now()
	if !last.due(own, routes, now) {
		return nil
	}
	if err := masquerade(ctx, own, podRange); err != nil {
		return err
	}
	if err := setRoutes(ctx, routes); err != nil {
		return err
	}
	if err := writeConfig(cniDir, own); err != nil {
		return err
	}
	*last = settings{own: own, routes: routes, at: now}
	return nil
}

// due reports whether a node needs other settings, or the same ones again.
func (s settings) due(own string, routes map[string]string, now time.Time) bool {
	return s.own != own || !maps.Equal(s.routes, routes) || now.Sub(s.at) >= repair
}

// plan returns the pod range of the node and, for every other node with an address, the range that is reached by it.
func plan(nodes []*corev1.Node, name string) (own string, routes map[string]string) {
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
