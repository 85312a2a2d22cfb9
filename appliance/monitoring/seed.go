package monitoring

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/federation"
	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

// ofSeed are the API server of a seed, what the containers on its nodes use, and its conditions. The other servers of an embedded seed
// run in the process of its API server.
func (f finder) ofSeed(ctx context.Context, name string, config *rest.Config) []federation.Target {
	scope := seedScope(name)
	server := federation.Target{Cluster: scope.String(), Job: jobAPIServer, Instance: name, Gather: ofServer(config)}
	if name == f.First {
		server.Labels = map[string]string{labelProcess: thisProcess}
	}
	out := []federation.Target{server, {Cluster: scope.String(), Job: jobConditions, Instance: name, Gather: f.seedConditions(name)}}
	nodes, err := nodesOf(ctx, config)
	if err != nil {
		return append(out, down(scope, jobResources, name, err))
	}
	for i := range nodes {
		node := &nodes[i]
		gather := proxiedNode(config, node.Name, kubeletmetrics.Path)
		if address := loopback(node); address != "" { // API servers connect nobody to such addresses
			gather = directKubelet(config, address, kubeletmetrics.Path)
		}
		out = append(out, federation.Target{Cluster: scope.String(), Job: jobResources, Instance: node.Name, Gather: gather})
	}
	return out
}

func (f finder) seedConditions(name string) func(context.Context) (federation.Families, error) {
	return func(ctx context.Context) (federation.Families, error) {
		seed := &gardencorev1beta1.Seed{}
		if err := f.garden.Get(ctx, client.ObjectKey{Name: name}, seed); err != nil {
			return nil, fmt.Errorf("read the seed: %w", err)
		}
		return conditionsOf(nameSeedCondition, "Condition of a Seed", []string{"name", name}, seed.Status.Conditions), nil
	}
}

// mostNodes bounds the nodes of a cluster that are asked.
const mostNodes = 500

func nodesOf(ctx context.Context, config *rest.Config) ([]corev1.Node, error) {
	cluster, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	nodes, err := cluster.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: mostNodes})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	return nodes.Items, nil
}

// loopback is host:port of a kubelet on this machine; empty for others.
func loopback(node *corev1.Node) string {
	for _, address := range node.Status.Addresses {
		ip, err := netip.ParseAddr(address.Address)
		if err == nil && address.Type == corev1.NodeInternalIP && ip.IsLoopback() {
			port := node.Status.DaemonEndpoints.KubeletEndpoint.Port
			if port == 0 {
				port = names.KubeletPort
			}
			return net.JoinHostPort(address.Address, strconv.Itoa(int(port)))
		}
	}
	return ""
}

// proxiedNode asks a kubelet through the proxy subresource of its API server, so that nothing else needs a way to the node.
func proxiedNode(config *rest.Config, node, path string) func(context.Context) (federation.Families, error) {
	return proxied(config, "/api/v1/nodes/"+url.PathEscape(node)+"/proxy"+path)
}

// proxied asks at a path of an API server behind which others answer.
func proxied(config *rest.Config, path string) func(context.Context) (federation.Families, error) {
	return func(ctx context.Context) (federation.Families, error) {
		client, err := clientOf(config)
		if err != nil {
			return nil, err
		}
		return federation.HTTP(client, strings.TrimSuffix(config.Host, "/")+path, federation.LongestOfUsers)(ctx)
	}
}

// directKubelet asks a kubelet of an embedded seed, which accepts the clients of its API server and has a certificate of its authority.
func directKubelet(config *rest.Config, address, path string) func(context.Context) (federation.Families, error) {
	return func(ctx context.Context) (federation.Families, error) {
		config := rest.CopyConfig(config)
		config.ServerName = ""
		client, err := clientOf(config)
		if err != nil {
			return nil, err
		}
		return federation.HTTP(client, "https://"+address+path, federation.Longest)(ctx)
	}
}
