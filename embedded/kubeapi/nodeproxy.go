package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/proxy"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	kubelet "k8s.io/kubernetes/pkg/kubelet/client"
	"k8s.io/streaming/pkg/httpstream"
)

// nodeProxy answers GET requests for the subresource proxy of nodes whose kubelets listen at a loopback address. Kubernetes forwards to no such
// address. All other requests, also those with another port or an upgrade, take the usual way.
//
// Users write the addresses of Nodes. So the transport must be guarded, as guard.kubelets does.
type nodeProxy struct {
	next      http.Handler
	node      func(ctx context.Context, name string) (*corev1.Node, error)
	transport http.RoundTripper
	admission admission.Interface
}

// proxyToNodes installs it. It does nothing unless the guard knows where kubelets are.
func (g *guard) proxyToNodes(config *app.Config) error {
	if len(g.hosts) == 0 || g.nodes.Name == "" {
		return nil
	}
	transport, err := kubelet.MakeTransport(&config.KubeAPIs.KubeletClientConfig) // after kubelets
	if err != nil {
		return fmt.Errorf("make the connections to kubelets: %w", err)
	}
	client, err := kubernetes.NewForConfig(rest.CopyConfig(config.KubeAPIs.ControlPlane.Generic.LoopbackClientConfig))
	if err != nil {
		return fmt.Errorf("make a client for nodes: %w", err)
	}
	node := func(ctx context.Context, name string) (*corev1.Node, error) {
		return client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{ResourceVersion: "0"})
	}
	chain := &config.Aggregator.GenericConfig.Config
	build := chain.BuildHandlerChainFunc
	admits := config.KubeAPIs.ControlPlane.Generic.AdmissionControl
	chain.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
		return build(nodeProxy{next: api, node: node, transport: transport, admission: admits}, c)
	}
	return nil
}

// ServeHTTP comes after authentication and authorization.
func (p nodeProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	info, ok := request.RequestInfoFrom(r.Context())
	if !ok || !asksNode(r, info) {
		p.next.ServeHTTP(w, r)
		return
	}
	node, err := p.node(r.Context(), info.Name)
	if err != nil {
		p.next.ServeHTTP(w, r) // which finds the same
		return
	}
	at, ok := loopbackOf(node)
	if !ok {
		p.next.ServeHTTP(w, r)
		return
	}
	path := "/" + strings.Join(info.Parts[min(3, len(info.Parts)):], "/")
	if err := p.admit(r.Context(), info, path); err != nil {
		fail(w, r, err)
		return
	}
	location := &url.URL{Scheme: "https", Host: at, Path: path, RawQuery: r.URL.RawQuery}
	proxy.NewUpgradeAwareHandler(location, p.transport, true, false, proxy.NewErrorResponder(responder{w, r})).ServeHTTP(w, r)
}

// asksNode reports whether this is a plain question to the usual port of a node. Only the path that Kubernetes has for it counts: others, such as one with a
// namespace, are authorized in another way.
func asksNode(r *http.Request, info *request.RequestInfo) bool {
	rest, found := strings.CutPrefix(r.URL.Path, "/api/v1/nodes/"+info.Name+"/proxy")
	return found && (rest == "" || rest[0] == '/') && info.IsResourceRequest && info.APIGroup == "" && info.Namespace == "" && info.Verb == "get" &&
		info.Resource == "nodes" && info.Subresource == "proxy" && r.Method == http.MethodGet &&
		r.Header.Get("Upgrade") == "" && !httpstream.IsUpgradeRequest(r) && !strings.Contains(info.Name, ":")
}

// loopbackOf is the endpoint of a kubelet at a loopback address.
func loopbackOf(node *corev1.Node) (string, bool) {
	for _, one := range node.Status.Addresses {
		if one.Type != corev1.NodeInternalIP {
			continue
		}
		address, err := netip.ParseAddr(one.Address)
		port := node.Status.DaemonEndpoints.KubeletEndpoint.Port
		if port == 0 {
			port = kubeletPort
		}
		return net.JoinHostPort(one.Address, fmt.Sprint(port)), err == nil && address.IsLoopback()
	}
	return "", false
}

// admit asks who decides about connections, as for every subresource of this kind.
func (p nodeProxy) admit(ctx context.Context, info *request.RequestInfo, path string) error {
	if p.admission == nil || !p.admission.Handles(admission.Connect) {
		return nil
	}
	user, _ := request.UserFrom(ctx)
	attributes := admission.NewAttributesRecord(&core.NodeProxyOptions{Path: path}, nil, corev1.SchemeGroupVersion.WithKind("NodeProxyOptions"), "", info.Name,
		corev1.SchemeGroupVersion.WithResource("nodes"), info.Subresource, admission.Connect, nil, false, user)
	kinds := admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)
	admits := admission.WithAudit(p.admission)
	var err error
	if mutating, ok := admits.(admission.MutationInterface); ok {
		err = mutating.Admit(ctx, attributes, kinds)
	}
	if validating, ok := admits.(admission.ValidationInterface); ok && err == nil {
		err = validating.Validate(ctx, attributes, kinds)
	}
	return err
}

type responder struct {
	w http.ResponseWriter
	r *http.Request
}

// Error is that of a kubelet that does not answer.
func (a responder) Error(err error) { fail(a.w, a.r, err) }

func fail(w http.ResponseWriter, r *http.Request, err error) {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		err = apierrors.NewServiceUnavailable(err.Error())
	}
	responsewriters.ErrorNegotiated(err, legacyscheme.Codecs, corev1.SchemeGroupVersion, w, r)
}
