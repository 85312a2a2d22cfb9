package kubeapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"testing"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/server/egressselector"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/pkg/controlplane"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

func TestGuardOfWebhooks(t *testing.T) {
	own := &rest.Config{Host: "https://[::1]:443"}
	former := func(dial func(context.Context, string, string) (net.Conn, error)) webhook.AuthenticationInfoResolver {
		return &webhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
				if hostPort == ownAddress {
					return own, nil
				}
				return &rest.Config{Dial: dial}, nil
			},
			ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
				if name == "kubernetes" && namespace == "default" {
					return own, nil
				}
				return &rest.Config{Dial: dial}, nil
			},
		}
	}
	through := func(context.Context, string, string) (net.Conn, error) { return nil, errTunnel }
	guard := &guard{hosts: []string{"some"}}
	dialled := func(t *testing.T, config *rest.Config, err error) error {
		t.Helper()
		if err != nil || config.Dial == nil || config.Proxy == nil {
			t.Fatalf("config %+v, error %v", config, err)
		}
		if proxy, err := config.Proxy(&http.Request{}); proxy != nil || err != nil {
			t.Errorf("proxy: %v, %v", proxy, err)
		}
		_, err = config.Dial(t.Context(), "tcp", "127.0.0.1:1")
		return err
	}
	var refused *guardeddial.RefusedError
	t.Run("a webhook at a URL does not reach this machine, with or without tunnel", func(t *testing.T) {
		for _, dial := range []func(context.Context, string, string) (net.Conn, error){nil, through} {
			config, err := guard.wrap(former(dial)).ClientConfigFor("127.0.0.1:1")
			if err := dialled(t, config, err); !errors.As(err, &refused) {
				t.Errorf("error is %v", err)
			}
		}
	})
	t.Run("a webhook at a Service takes the tunnel", func(t *testing.T) {
		config, err := guard.wrap(former(through)).ClientConfigForService("a", "b", 443)
		if err := dialled(t, config, err); !errors.Is(err, errTunnel) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a webhook at a Service is guarded without a tunnel", func(t *testing.T) {
		config, err := guard.wrap(former(nil)).ClientConfigForService("a", "b", 443)
		if err := dialled(t, config, err); !errors.As(err, &refused) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a webhook at a simulated Service is not dialled, and the error names it", func(t *testing.T) {
		simulating := *guard
		simulating.rules.Simulated = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/30")}
		config, err := simulating.wrap(former(nil)).ClientConfigForService("hook", "default", 443)
		if err := dialled(t, config, err); err == nil || err.Error() != "Service default/hook has only simulated pods" {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("the server reaches itself", func(t *testing.T) {
		wrapped := guard.wrap(former(nil))
		for name, get := range map[string]func() (*rest.Config, error){
			"by URL":     func() (*rest.Config, error) { return wrapped.ClientConfigFor(ownAddress) },
			"by Service": func() (*rest.Config, error) { return wrapped.ClientConfigForService("kubernetes", "default", 443) },
		} {
			if config, err := get(); config != own || err != nil {
				t.Errorf("%s: %v, %v", name, config, err)
			}
		}
	})
}

// Users write the addresses, names and ports of Nodes.
func TestGuardOfKubelets(t *testing.T) {
	guard := &guard{hosts: []string{"*"}, rules: guardeddial.Rules{
		Hosts: []string{"*"}, Endpoints: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")},
	}, nodes: guardeddial.Named{Name: "machines.svc", Lookup: func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}}}
	config := &app.Config{KubeAPIs: &controlplane.Config{}}
	guard.kubelets(config)
	dial, err := config.KubeAPIs.KubeletClientConfig.Lookup(egressselector.Cluster.AsNetworkContext())
	if err != nil {
		t.Fatal(err)
	}
	var refused *guardeddial.NotNamedError
	for name, address := range map[string]string{
		"a kubelet of another shoot": "127.64.0.9:10250", "a trusted endpoint of others": "127.0.0.1:1", "another port of a node": "127.0.0.1:2379",
		"metadata of a cloud": "169.254.169.254:10250", "a Service of the seed": "10.96.0.1:10250", "a private network": "192.168.1.1:10250", "a public address": "192.0.2.1:10250",
	} {
		t.Run("APP-19 refused: "+name, func(t *testing.T) {
			if _, err := dial(t.Context(), "tcp", address); !errors.As(err, &refused) {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("a kubelet is dialled", func(t *testing.T) {
		if conn, err := dial(t.Context(), "tcp", "127.0.0.1:10250"); errors.As(err, &refused) {
			t.Error(err)
		} else if err == nil {
			_ = conn.Close()
		}
	})
	t.Run("a server without nodes dials none", func(t *testing.T) {
		config, without := &app.Config{KubeAPIs: &controlplane.Config{}}, *guard
		without.nodes.Name = ""
		without.kubelets(config)
		dial, err := config.KubeAPIs.KubeletClientConfig.Lookup(egressselector.Cluster.AsNetworkContext())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dial(t.Context(), "tcp", "127.0.0.1:10250"); !errors.As(err, &refused) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("the tunnel stays", func(t *testing.T) {
		config.KubeAPIs.KubeletClientConfig.Lookup = func(egressselector.NetworkContext) (utilnet.DialFunc, error) { return nil, errTunnel }
		tunnelled := *guard
		tunnelled.nodes.Name = ""
		tunnelled.kubelets(config)
		if _, err := config.KubeAPIs.KubeletClientConfig.Lookup(egressselector.Cluster.AsNetworkContext()); !errors.Is(err, errTunnel) {
			t.Errorf("error is %v", err)
		}
	})
}

// resolver resolves every Service to one address.
type resolver string

func (r resolver) ResolveEndpoint(string, string, int32) (*url.URL, error) {
	return &url.URL{Scheme: "https", Host: string(r)}, nil
}

func TestAggregatedServersThatAreSimulated(t *testing.T) {
	rules := guardeddial.Rules{Simulated: []netip.Prefix{netip.MustParsePrefix("100.64.0.0/13")}}
	if _, err := (served{resolver("100.64.3.4:443"), rules}).ResolveEndpoint("default", "api", 443); err == nil || err.Error() != "Service default/api has only simulated pods" {
		t.Errorf("a ClusterIP: error is %v", err)
	}
	for _, host := range []string{"api.example.com:443", "192.0.2.1:443"} {
		if location, err := (served{resolver(host), rules}).ResolveEndpoint("default", "api", 443); err != nil || location.Host != host {
			t.Errorf("%s: %v, %v", host, location, err)
		}
	}
}

var errTunnel = errors.New("the tunnel")
