// Package usage tells how much memory and processor time the pods of a seed use, as the kubelets of its nodes measure it.
package usage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

// Use is what the containers of pods use.
type Use struct {
	Memory uint64        // working set, in bytes
	CPU    time.Duration // processor time since the containers have started
}

func (u Use) plus(s kubeletmetrics.Sample) Use { return Use{u.Memory + s.Memory, u.CPU + s.CPU} }

// Namespaces sums the use of pods up by namespace. The configuration is that of an administrator of the seed. If some kubelets do not
// answer, it returns what the others say, and an error.
func Namespaces(ctx context.Context, seed *rest.Config) (map[string]Use, error) {
	client, err := kubernetes.NewForConfig(seed)
	if err != nil {
		return nil, err
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	direct, err := directly(seed)
	if err != nil {
		return nil, err
	}
	sums, failed := map[string]Use{}, []error(nil)
	for i := range nodes.Items {
		node := &nodes.Items[i]
		ask := func() (kubeletmetrics.Answer, error) { return proxied(ctx, client, node) }
		if here(node) {
			ask = func() (kubeletmetrics.Answer, error) { return kubeletmetrics.Ask(ctx, direct, node) }
		}
		answer, err := ask()
		if err != nil {
			failed = append(failed, fmt.Errorf("node %s: %w", node.Name, err))
			continue
		}
		for pod, containers := range answer.Pods {
			for _, container := range containers {
				sums[pod.Namespace] = sums[pod.Namespace].plus(container)
			}
		}
	}
	return sums, errors.Join(failed...)
}

// here reports whether a node is at a loopback address of this machine. API servers of embedded seeds connect nobody to such addresses.
func here(node *corev1.Node) bool {
	for _, address := range node.Status.Addresses {
		if ip, err := netip.ParseAddr(address.Address); err == nil && address.Type == corev1.NodeInternalIP {
			return ip.IsLoopback()
		}
	}
	return false
}

// directly is a client for kubelets. The kubelet of an embedded seed has a certificate of the seed's authority and trusts the clients
// that the seed's API server trusts.
func directly(seed *rest.Config) (*http.Client, error) {
	config := rest.CopyConfig(seed)
	config.ServerName = ""
	return rest.HTTPClientFor(config)
}

// proxied asks a kubelet by way of the seed's API server.
func proxied(ctx context.Context, client kubernetes.Interface, node *corev1.Node) (kubeletmetrics.Answer, error) {
	body, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node.Name).SubResource("proxy").Suffix(kubeletmetrics.Path).Stream(ctx)
	if err != nil {
		return kubeletmetrics.Answer{}, err
	}
	defer func() { _ = body.Close() }()
	return kubeletmetrics.Parse(body, time.Now())
}
