package monitoring

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/federation"
	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

// Users of a shoot can make Nodes and pods, and as many as they like.
const (
	mostProxied = 100
	longestList = 1 << 20
)

// portDNS is where CoreDNS serves metrics.
const portDNS = "9153"

// behind are servers in the network of the shoot: kubelets and CoreDNS. They are asked through the proxy subresources of the shoot's API
// server, so that the landscape needs no way into that network.
func behind(ctx context.Context, scope federation.Scope, shoot *rest.Config) []federation.Target {
	nodes, err := namesIn(ctx, shoot, "/api/v1/nodes", "")
	if err != nil {
		return []federation.Target{down(scope, jobKubelet, scope.Name, err)}
	}
	var out []federation.Target
	for _, node := range nodes {
		out = append(out,
			federation.Target{Cluster: scope.String(), Job: jobKubelet, Instance: node, Gather: proxiedNode(shoot, node, metricsPath)},
			federation.Target{Cluster: scope.String(), Job: jobResources, Instance: node, Gather: proxiedNode(shoot, node, kubeletmetrics.Path)},
		)
	}
	const system = "/api/v1/namespaces/" + metav1.NamespaceSystem + "/pods"
	pods, err := namesIn(ctx, shoot, system, "k8s-app=kube-dns")
	if err != nil {
		return append(out, down(scope, jobDNS, scope.Name, err))
	}
	for _, name := range pods {
		out = append(out, federation.Target{
			Cluster: scope.String(), Job: jobDNS, Instance: name, Gather: proxied(shoot, system+"/"+url.PathEscape(name+":"+portDNS)+"/proxy"+metricsPath),
		})
	}
	return out
}

const jobDNS = "coredns"

// namesIn lists names only, and not too many: the answer is what users make of it.
func namesIn(ctx context.Context, config *rest.Config, path, labels string) ([]string, error) {
	client, err := clientOf(config)
	if err != nil {
		return nil, err
	}
	query := url.Values{"limit": {fmt.Sprint(mostProxied)}, "labelSelector": {labels}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(config.Host, "/")+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list %s: the API server answers %s", path, resp.Status)
	}
	list := &metav1.PartialObjectMetadataList{}
	if err := json.NewDecoder(io.LimitReader(resp.Body, longestList)).Decode(list); err != nil {
		return nil, fmt.Errorf("list %s: %w", path, err)
	}
	var out []string
	for _, item := range list.Items {
		if item.Name != "" && len(out) < mostProxied {
			out = append(out, item.Name)
		}
	}
	return out, nil
}
