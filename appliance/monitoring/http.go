package monitoring

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/federation"
	"github.com/gardener-up/gardener-up/embedded/podreach"
)

// clientOf is a client for one request. Those of client-go are kept for ever if their connections have a way of their own.
func clientOf(config *rest.Config) (*http.Client, error) {
	secured, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	transport, err := rest.HTTPWrappersForConfig(config, &http.Transport{TLSClientConfig: secured, DialContext: config.Dial, DisableKeepAlives: true})
	return &http.Client{Transport: transport}, err
}

// pod is a server in a pod of a seed.
type pod struct {
	seed *rest.Config
	key  types.NamespacedName
	ip   string
	port int
}

// gather asks the pod. Its certificate has to be for a server name; without secured it speaks plain HTTP.
func (p pod) gather(serverName string, secured *tls.Config) func(context.Context) (federation.Families, error) {
	return p.gatherAt(metricsPath, serverName, secured, federation.Longest)
}

func (p pod) gatherAt(path, serverName string, secured *tls.Config, longest int64) func(context.Context) (federation.Families, error) {
	return func(ctx context.Context) (federation.Families, error) {
		address, end, err := podreach.Reach(ctx, p.seed, p.key, p.ip, strconv.Itoa(p.port))
		if err != nil {
			return nil, err
		}
		defer end()
		transport := &http.Transport{TLSClientConfig: secured, DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		}}
		scheme := "http"
		if secured != nil {
			scheme = "https"
		}
		return federation.HTTP(&http.Client{Transport: transport}, scheme+"://"+net.JoinHostPort(serverName, strconv.Itoa(p.port))+path, longest)(ctx)
	}
}
