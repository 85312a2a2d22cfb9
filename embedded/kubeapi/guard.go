package kubeapi

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"github.com/spf13/pflag"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/admission"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	"k8s.io/apiserver/pkg/server/egressselector"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/plugin/pkg/admission/imagepolicy"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/podservice"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// guard keeps a kube-apiserver whose users are strangers from making requests to this machine and to the landscape. Users
// choose the addresses of webhooks, of converters of custom resources, of aggregated servers and of issuers of tokens.
//
// Connections into the cluster take the tunnel if there is one. All others take http.DefaultTransport's dialer, or
// one that is set here. Users also write the addresses of Nodes, so connections to kubelets have rules of their own.
// Connections to etcd are the landscape's own, and are not guarded.
type guard struct {
	hosts, allowed, refused, private, simulated []string
	nodes                                       guardeddial.Named // the kubelets
	rules                                       guardeddial.Rules
	pods                                        *podservice.Services // behind simulated ranges; nil if nodes have no sandboxes
}

// kubeletPort is the only port of nodes that connections to kubelets reach.
const kubeletPort = 10250

func (g *guard) addFlags(set *pflag.FlagSet) {
	set.StringSliceVar(&g.hosts, flags.FlagGuardHosts, nil, "Names, or names with a port (name:port), that requests for users may reach at any address; * stands for any text. If set, such requests do not reach this machine otherwise.")
	set.StringSliceVar(&g.allowed, flags.FlagGuardAllow, nil, "Endpoints (address:port) of this machine that requests for users may reach.")
	set.StringVar(&g.nodes.Name, flags.FlagGuardNodes, "", "Name whose addresses are those of the nodes of the cluster. Connections to kubelets reach no other address, if "+flags.FlagGuardHosts+" is set.")
	set.StringSliceVar(&g.refused, flags.FlagGuardRefuse, nil, "Further ranges that requests for users do not reach, if "+flags.FlagGuardHosts+" is set.")
	set.StringSliceVar(&g.private, flags.FlagGuardPrivate, nil, "Private networks that requests for users may reach, if "+flags.FlagGuardHosts+" is set.")
	set.StringSliceVar(&g.simulated, flags.FlagGuardSimulated, nil, "Ranges of Services and pods of the cluster that no process serves, if "+flags.FlagGuardHosts+" is set.")
}

// install guards the process. It does nothing without names, which every shoot's server has.
func (g *guard) install(opts *options.ServerRunOptions) error {
	if len(g.hosts) == 0 {
		return nil
	}
	g.rules.Hosts = g.hosts
	for _, text := range g.allowed {
		endpoint, err := netip.ParseAddrPort(text)
		if err != nil {
			return fmt.Errorf("read --%s: %w", flags.FlagGuardAllow, err)
		}
		g.rules.Endpoints = append(g.rules.Endpoints, endpoint)
	}
	for _, list := range []struct {
		flag  string
		texts []string
		to    *[]netip.Prefix
	}{{flags.FlagGuardRefuse, g.refused, &g.rules.Refused}, {flags.FlagGuardPrivate, g.private, &g.rules.Private}, {flags.FlagGuardSimulated, g.simulated, &g.rules.Simulated}} {
		for _, text := range list.texts {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				return fmt.Errorf("read --%s: %w", list.flag, err)
			}
			*list.to = append(*list.to, prefix)
		}
	}
	if dir, cluster := layout.FromEnvironment(), os.Getenv(layout.ClusterVariable); dir != "" && cluster != "" && len(g.rules.Simulated) > 0 {
		g.pods = podservice.New(dir.Peers(cluster))
		g.rules.Cluster = g.pods.Dial
	}
	if err := errors.Join(g.rules.GuardProcess(), guardDirect(g.rules)); err != nil {
		return err
	}
	plugins := opts.Admission.GenericAdmission
	plugins.Decorators = slices.Insert(plugins.Decorators, 0, admission.Decorator(admission.DecoratorFunc(g.decorate)))
	return nil
}

// decorate is called with each plugin after it got its dependencies, so that the guard is the last to decide.
func (g *guard) decorate(plugin admission.Interface, _ string) admission.Interface {
	if wants, ok := plugin.(webhookinit.WantsAuthenticationInfoResolverWrapper); ok {
		wants.SetAuthenticationInfoResolverWrapper(g.wrap)
	}
	if images, ok := plugin.(*imagepolicy.Plugin); ok {
		g.images(images)
	}
	return plugin
}

// converters guards the webhooks that convert custom resources.
func (g *guard) converters(config *app.Config) {
	if len(g.hosts) == 0 {
		return
	}
	former := config.ApiExtensions.ExtraConfig.AuthResolverWrapper
	config.ApiExtensions.ExtraConfig.AuthResolverWrapper = func(resolver webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		return g.wrap(former(resolver))
	}
}

// kubelets guards connections to kubelets, unless they take the tunnel. Users write the names and addresses of Nodes, so only the
// landscape says where the kubelets of the cluster are.
func (g *guard) kubelets(config *app.Config) {
	client := &config.KubeAPIs.KubeletClientConfig
	tunnel := client.Lookup != nil && g.nodes.Name == ""
	if len(g.hosts) == 0 || tunnel {
		return
	}
	own := g.nodes
	own.Port = kubeletPort
	client.Lookup = func(egressselector.NetworkContext) (utilnet.DialFunc, error) { return own.DialContext, nil }
}

// wrap guards the clients of webhooks. One at a URL is dialled from here, one at a Service by the tunnel if there is one.
func (g *guard) wrap(former webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
			config, err := former.ClientConfigFor(hostPort)
			return g.guarded(config, hostPort == ownAddress, true), err
		},
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			config, err := former.ClientConfigForService(name, namespace, port)
			own := fmt.Sprintf("%s.%s.svc:%d", name, namespace, port) == ownAddress
			direct := config != nil && (config.Dial == nil || g.nodes.Name != "") && !own
			out := g.guarded(config, own, direct)
			if direct {
				out.Dial = naming(out.Dial, namespace+"/"+name)
			}
			return out, err
		},
	}
}

// ownAddress is that for which Kubernetes calls the server itself.
const ownAddress = "kubernetes.default.svc:443"

func (g *guard) guarded(config *rest.Config, own, direct bool) *rest.Config {
	if config == nil || own {
		return config
	}
	config = rest.CopyConfig(config)
	config.Proxy = guardeddial.NoProxy
	if direct {
		config.Dial = g.rules.DialContext
	}
	return config
}
