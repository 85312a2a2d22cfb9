package podnetwork

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/miekg/dns"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/peers"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// tryTimeout limits one connection that is tried.
const tryTimeout = 4 * time.Second

// ErrNothing is the error about what could not be tried, because the cluster has nothing of it.
var ErrNothing = errors.New("there is nothing to try")

// Trial is what was found. An error is nil for what works.
type Trial struct {
	// Serves is about what the node does for other nodes: its pods are reached from outside of its process.
	Serves error
	// Names is about the name server of the cluster.
	Names error
	// Pods is about pods of this node and of others.
	Pods error
	// Services is about the Service of the API server.
	Services error
}

// Try tries connections by the way that connections of this node's pods go, apart from NetworkPolicies, which users write. own is the address of
// this node's Responder, others are those of other nodes.
func (n *Network) Try(ctx context.Context, own netip.Addr, others []netip.Addr) Trial {
	select {
	case <-n.known:
	case <-ctx.Done():
		err := fmt.Errorf("the Services and pods of the cluster are not known yet: %w", context.Cause(ctx))
		return Trial{Serves: err, Names: err, Pods: err, Services: err}
	}
	t := trier{network: n, from: own, decide: reach.Cluster{Server: n.server, Service: n.service, Pod: n.pod}.From(own)}
	return Trial{Serves: t.serves(ctx), Names: t.names(ctx), Pods: t.pods(ctx, others), Services: t.services(ctx)}
}

type trier struct {
	network *Network
	from    netip.Addr
	decide  podnet.Decide
}

// serves tries the way of other nodes to this one.
func (t trier) serves(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	pod, ok := peers.Find(t.network.config.Peers, t.from)
	if !ok {
		return errors.New("other nodes find no way to the pods of this node")
	}
	return responds(ctx, func(ctx context.Context) (net.Conn, error) {
		return pod.Dial(ctx, podnet.TCP, responderPort, t.from)
	}, t.from)
}

// pods tries this node and the others.
func (t trier) pods(ctx context.Context, others []netip.Addr) error {
	var failures []error
	for _, address := range append([]netip.Addr{t.from}, others...) {
		if err := t.pod(ctx, address); err != nil {
			failures = append(failures, fmt.Errorf("pods at %s: %w", address, err))
		}
	}
	return errors.Join(failures...)
}

func (t trier) pod(ctx context.Context, address netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	way, err := t.decide(ctx, podnet.TCP, netip.AddrPortFrom(address, responderPort))
	if err != nil {
		return err
	}
	return responds(ctx, way, address)
}

// services tries the Service of the API server.
func (t trier) services(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	service := t.network.catalog.Service(metav1.NamespaceDefault, "kubernetes")
	if service == nil || len(service.Spec.Ports) == 0 {
		return fmt.Errorf("the cluster has no Service kubernetes: %w", ErrNothing)
	}
	address, err := netip.ParseAddr(service.Spec.ClusterIP)
	if err != nil {
		return fmt.Errorf("the Service kubernetes has no address: %w", ErrNothing)
	}
	way, err := t.decide(ctx, podnet.TCP, netip.AddrPortFrom(address, uint16(service.Spec.Ports[0].Port)))
	if err != nil {
		return err
	}
	conn, err := way(ctx)
	if err != nil {
		return fmt.Errorf("reach Service kubernetes: %w", err)
	}
	return conn.Close()
}

// names asks each name server for the Service of the API server, which every cluster has.
func (t trier) names(ctx context.Context) error {
	if len(t.network.config.NameServers) == 0 {
		return fmt.Errorf("the pods have no name server: %w", ErrNothing)
	}
	var failures []error
	for _, server := range t.network.config.NameServers {
		if err := t.name(ctx, server); err != nil {
			failures = append(failures, fmt.Errorf("name server %s: %w", server, err))
		}
	}
	return errors.Join(failures...)
}

func (t trier) name(ctx context.Context, server netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	way, err := t.decide(ctx, podnet.TCP, netip.AddrPortFrom(server, namePort))
	if err != nil {
		return err
	}
	pipe, err := way(ctx)
	if err != nil {
		return err
	}
	defer pipe.Close()
	defer context.AfterFunc(ctx, func() { _ = pipe.Close() })()
	domain := t.network.config.Domain
	if domain == "" {
		domain = "cluster.local"
	}
	question := new(dns.Msg).SetQuestion("kubernetes.default.svc."+domain+".", dns.TypeA)
	conn := &dns.Conn{Conn: pipe}
	if err := conn.WriteMsg(question); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	answer, err := conn.ReadMsg()
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer.Rcode != dns.RcodeSuccess || len(answer.Answer) == 0 {
		return fmt.Errorf("it does not know %s: %s", question.Question[0].Name, dns.RcodeToString[answer.Rcode])
	}
	return nil
}
