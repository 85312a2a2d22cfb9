package podnetwork

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/networkpolicy"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// policy is what NetworkPolicies say about the connections of one pod of this node. The node of the pod that connects also decides about
// ingress of the other pod: it knows all policies of the cluster, and connections come from nowhere else but from nodes, which are always
// allowed.
type policy struct {
	network         *Network
	namespace, name string
}

var _ reach.Policy = policy{}

// Allows returns an error if a policy of either pod forbids the flow.
func (p policy) Allows(flow reach.Flow) error {
	source := p.network.catalog.Pod(p.namespace, p.name)
	if source == nil {
		return fmt.Errorf("pod %s/%s is not known yet", p.namespace, p.name)
	}
	from := networkpolicy.End{Address: flow.Source, Pod: source}
	protocol := corev1.Protocol(strings.ToUpper(string(flow.Protocol)))
	if p.network.server(flow.Protocol, flow.Destination) != nil {
		return p.toServer(from, protocol, flow)
	}
	pods := p.network.catalog.PodsAt(flow.Destination.Addr().String())
	if _, isPod := p.network.pod(flow.Destination.Addr()); isPod && len(pods) == 0 {
		return fmt.Errorf("the pod at %s is not known yet", flow.Destination.Addr())
	}
	if len(pods) == 0 {
		return networkpolicy.Egress(p.network.policies, connection(from, nil, protocol, flow.Destination))
	}
	for _, pod := range pods { // several only after somebody wrote a wrong status
		wanted := connection(from, pod, protocol, flow.Destination)
		err := errors.Join(networkpolicy.Egress(p.network.policies, wanted), networkpolicy.Ingress(p.network.policies, wanted))
		if err != nil {
			return err
		}
	}
	return nil
}

// toServer decides about a server that the node runs itself or leads to. Policies mean it by its address, or by the endpoints of its
// Service, as if pods of the cluster served it.
func (p policy) toServer(from networkpolicy.End, protocol corev1.Protocol, flow reach.Flow) error {
	endpoints, _ := p.network.service(flow)
	var refusal error
	for _, endpoint := range append(endpoints, flow.Destination) {
		pods := p.network.catalog.PodsAt(endpoint.Addr().String())
		if len(pods) == 0 {
			pods = []*corev1.Pod{nil}
		}
		for _, pod := range pods {
			if refusal = networkpolicy.Egress(p.network.policies, connection(from, pod, protocol, endpoint)); refusal == nil {
				return nil
			}
		}
	}
	return refusal
}

func connection(from networkpolicy.End, to *corev1.Pod, protocol corev1.Protocol, destination netip.AddrPort) networkpolicy.Connection {
	return networkpolicy.Connection{
		From: from, To: networkpolicy.End{Address: destination.Addr(), Pod: to}, Protocol: protocol, Port: int32(destination.Port()),
	}
}
