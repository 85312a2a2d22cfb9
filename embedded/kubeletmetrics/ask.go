package kubeletmetrics

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// Path is where kubelets serve what Parse reads.
	Path = "/metrics/resource"
	// longest is the maximum size of a response; 1,000 containers take 1 MiB.
	longest = 32 << 20
	// DefaultPort is the port of kubelets whose nodes do not report it.
	DefaultPort = 10250
)

// Ask requests the metrics of the kubelet of a node. The client trusts the kubelet and has the credentials that it accepts.
func Ask(ctx context.Context, client *http.Client, node *corev1.Node) (Answer, error) {
	host, err := address(node)
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+Path, http.NoBody)
	if err != nil {
		return Answer{}, fmt.Errorf("make request: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("ask kubelet: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("ask kubelet: it answers %s", resp.Status)
	}
	return Parse(io.LimitReader(resp.Body, longest), time.Now())
}

// address of the kubelet of a node: an IP address rather than a name, since names need a DNS server that knows them.
func address(node *corev1.Node) (string, error) {
	port := int(node.Status.DaemonEndpoints.KubeletEndpoint.Port)
	if port == 0 {
		port = DefaultPort
	}
	for _, kind := range []corev1.NodeAddressType{corev1.NodeInternalIP, corev1.NodeExternalIP, corev1.NodeHostName} {
		for _, a := range node.Status.Addresses {
			if a.Type == kind && a.Address != "" {
				return net.JoinHostPort(a.Address, strconv.Itoa(port)), nil
			}
		}
	}
	return "", fmt.Errorf("node %q has no address", node.Name)
}
