package kubeapi

import (
	"context"
	"net"
	"net/netip"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/podaddress"
)

// proxyToPods lets the subresource proxy of pods and Services reach pods in sandboxes. guard is nil if users are trusted.
func proxyToPods(config *app.Config, guard *guard) {
	extra := &config.KubeAPIs.ControlPlane.Extra
	transport := extra.ProxyTransport.Clone() // others use the transport, too
	var pods func(context.Context, netip.AddrPort) (net.Conn, error)
	if guard != nil && guard.pods != nil {
		pods = guard.pods.DialPod
	}
	transport.DialContext = dialPods(transport.DialContext, pods)
	extra.ProxyTransport = transport
}

// dialPods dials pods whose addresses are stand-ins. pods is nil if none of them runs. Errors about simulated pods name what was asked for.
func dialPods(others dial, pods func(context.Context, netip.AddrPort) (net.Conn, error)) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialPod(ctx, network, address, others, pods)
		return conn, nameAsked(ctx, err)
	}
}

func dialPod(ctx context.Context, network, address string, others dial, pods func(context.Context, netip.AddrPort) (net.Conn, error)) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return others(ctx, network, address)
	}
	pod, ok := podaddress.Restored(to.Addr())
	if !ok {
		return others(ctx, network, address)
	}
	if pods == nil {
		return nil, &guardeddial.SimulatedError{Address: pod}
	}
	return pods(ctx, netip.AddrPortFrom(pod, to.Port()))
}

// nameAsked names the Service or pod that a request asks for in an error about simulated pods. ctx is that of the request.
func nameAsked(ctx context.Context, err error) error {
	asked, ok := request.RequestInfoFrom(ctx)
	if err == nil || !ok {
		return err
	}
	_, name, _, valid := utilnet.SplitSchemeNamePort(asked.Name) // of a proxy it is [scheme:]name[:port]
	switch {
	case valid && asked.Resource == "services":
		return guardeddial.NameService(err, asked.Namespace+"/"+name)
	case valid && asked.Resource == "pods":
		return guardeddial.NamePod(err, asked.Namespace+"/"+name)
	}
	return err
}
