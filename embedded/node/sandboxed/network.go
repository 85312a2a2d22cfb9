package sandboxed

import (
	"context"
	"net"
	"net/netip"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// network describes the network of a pod.
func (h *Host) network(sandbox Sandbox) podnet.Config {
	pod := sandbox.Config.GetMetadata()
	return podnet.Config{
		Address: sandbox.Address, Node: h.config.Node, Landscape: h.config.Landscape,
		Decide: h.config.Decide(pod.GetNamespace(), pod.GetName(), sandbox.Address),
		Log:    h.config.Log.WithValues("pod", pod.GetName(), "namespace", pod.GetNamespace()),
	}
}

// Pod finds the pod of this node that has the address.
func (h *Host) Pod(address netip.Addr) (reach.Pod, bool) {
	h.mu.Lock()
	var found *entry
	for _, e := range h.pods {
		if e.address == address {
			found = e
		}
	}
	h.mu.Unlock()
	if found == nil {
		return nil, false
	}
	found.mu.Lock()
	defer found.mu.Unlock()
	if found.pod == nil {
		return nil, false
	}
	return found.pod.Network(), true
}

// Dial connects to a TCP port of a pod, also to one that the pod does not declare.
func (h *Host) Dial(ctx context.Context, sandboxID string, port uint16) (net.Conn, error) {
	running, err := h.running(sandboxID)
	if err != nil {
		return nil, err
	}
	return running.Network().Dial(ctx, podnet.TCP, port, h.config.Node)
}
