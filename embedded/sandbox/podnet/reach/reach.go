// Package reach decides what a pod of a cluster may reach: servers of the cluster itself, its Services, its pods, and, where the landscape
// allows it, the outside world. Everything else is refused, because nothing here leads to it. In particular no address
// leads to a listener of the machine, except where the owner of the cluster names a server.
//
// The package knows neither Kubernetes nor namespaces of the kernel. Its owner provides lookups.
package reach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// endpointTimeout limits how long one of several endpoints of a Service may take to answer.
const endpointTimeout = 3 * time.Second

// Pod connects to one pod. *podnet.Network is one, Machine another.
type Pod interface {
	Dial(ctx context.Context, protocol podnet.Protocol, port uint16, source netip.Addr) (net.Conn, error)
}

// Flow is a connection that a pod asks for.
type Flow struct {
	Protocol podnet.Protocol
	// Source is the address of the pod that asks.
	Source netip.Addr
	// Destination is a pod, a server of the cluster or an address outside. For a Policy it is never a Service that has endpoints.
	Destination netip.AddrPort
}

// Policy is what NetworkPolicies say.
type Policy interface {
	// Allows returns an error with the reason if a policy of the source or of the destination forbids the flow.
	Allows(flow Flow) error
}

// Cluster is what the pods of one cluster may reach. The functions are called concurrently. A function that is nil knows nothing.
type Cluster struct {
	// Server returns the way to a server that the cluster's owner runs, for example the API server or the DNS server, and nil for
	// other addresses. It is asked first, so where it leads must not depend on what users of the cluster write.
	Server func(podnet.Protocol, netip.AddrPort) podnet.Dial
	// Service returns the endpoints of the Service at the destination of a flow, in the order in which they are tried, and whether there is
	// such a Service. Users may have written the endpoints: each is checked as if the pod had asked for it.
	Service func(Flow) ([]netip.AddrPort, bool)
	// Pod returns the way to the pod of the cluster that has the address.
	Pod func(netip.Addr) (Pod, bool)
	// Outside says which addresses outside of the machine and the landscape may be reached. Nil closes the outside.
	Outside *guardeddial.Rules
	// Policy is nil if there are no policies.
	Policy Policy
}

// ErrRefused is in all errors about destinations that a pod must not reach.
var ErrRefused = errors.New("pods of this cluster must not reach it")

// From returns the decision for the pod that has the address.
func (c Cluster) From(source netip.Addr) podnet.Decide {
	return func(_ context.Context, protocol podnet.Protocol, destination netip.AddrPort) (podnet.Dial, error) {
		return c.decide(source, protocol, destination)
	}
}

func (c Cluster) decide(source netip.Addr, protocol podnet.Protocol, destination netip.AddrPort) (podnet.Dial, error) {
	flow := Flow{Protocol: protocol, Source: source, Destination: destination}
	if c.Server != nil {
		if dial := c.Server(protocol, destination); dial != nil {
			return dial, c.allows(flow)
		}
	}
	if c.Service == nil {
		return c.direct(flow)
	}
	endpoints, isService := c.Service(flow)
	if !isService {
		return c.direct(flow)
	}
	return c.service(flow, endpoints)
}

// service returns a way to any of the endpoints that the pod may reach.
func (c Cluster) service(flow Flow, endpoints []netip.AddrPort) (podnet.Dial, error) {
	var ways []podnet.Dial
	var refusals []error
	for _, endpoint := range endpoints {
		way, err := c.direct(Flow{Protocol: flow.Protocol, Source: flow.Source, Destination: endpoint})
		if err != nil {
			refusals = append(refusals, err)
			continue
		}
		ways = append(ways, way)
	}
	if len(ways) == 0 {
		return nil, errors.Join(append(refusals, fmt.Errorf("the Service at %s has no endpoint that the pod can reach", flow.Destination))...)
	}
	return any(ways), nil
}

// any tries the ways one after the other.
func any(ways []podnet.Dial) podnet.Dial {
	return func(ctx context.Context) (net.Conn, error) {
		var failures []error
		for _, way := range ways {
			conn, err := within(ctx, endpointTimeout, way)
			if err == nil {
				return conn, nil
			}
			failures = append(failures, err)
		}
		return nil, errors.Join(failures...)
	}
}

func within(ctx context.Context, limit time.Duration, dial podnet.Dial) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return dial(ctx)
}

// direct returns the way to a pod or to the outside.
func (c Cluster) direct(flow Flow) (podnet.Dial, error) {
	if c.Pod != nil {
		if pod, ok := c.Pod(flow.Destination.Addr()); ok {
			return func(ctx context.Context) (net.Conn, error) {
				return pod.Dial(ctx, flow.Protocol, flow.Destination.Port(), flow.Source)
			}, c.allows(flow)
		}
	}
	if err := c.outside(flow.Destination); err != nil {
		return nil, err
	}
	return Address(flow.Protocol, flow.Destination), c.allows(flow)
}

func (c Cluster) allows(flow Flow) error {
	if c.Policy == nil {
		return nil
	}
	if err := c.Policy.Allows(flow); err != nil {
		return fmt.Errorf("a NetworkPolicy forbids %s to %s: %w", flow.Source, flow.Destination, err)
	}
	return nil
}

// outside returns an error if the address is not outside of the machine and the landscape, or if the outside is closed.
func (c Cluster) outside(destination netip.AddrPort) error {
	address := destination.Addr().Unmap()
	if address.IsLoopback() {
		return fmt.Errorf("%s belongs to no pod, Service or server of the cluster: %w", destination, ErrRefused)
	}
	if c.Outside == nil {
		return fmt.Errorf("%s is outside of the landscape, which is closed to pods: %w", destination, ErrRefused)
	}
	if err := c.Outside.Check(destination); err != nil {
		return errors.Join(err, ErrRefused)
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("list the addresses of this machine: %w", err)
	}
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && isOf(prefix, address) {
			return fmt.Errorf("%s is an address of this machine: %w", destination, ErrRefused)
		}
	}
	return nil
}

// isOf tells whether packets for the address reach an interface with the prefix: it is the interface's own or a broadcast address of its
// network, which the kernel also delivers to the machine itself.
func isOf(prefix netip.Prefix, address netip.Addr) bool {
	if prefix.Addr().Unmap() == address {
		return true
	}
	if !address.Is4() || !prefix.Contains(address) || prefix.Bits() > 30 {
		return false
	}
	return !prefix.Contains(address.Next()) || address == prefix.Masked().Addr()
}

// Address returns the way to an address as the machine reaches it.
func Address(protocol podnet.Protocol, destination netip.AddrPort) podnet.Dial {
	return func(ctx context.Context) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, string(protocol), destination.String())
	}
}

// Machine is a pod whose processes use the machine's own network, at the address. A server of the machine that listens at all addresses
// has that address, too. So only the ports that the pod declares are reached.
type Machine struct {
	Address netip.Addr
	Ports   []int32
}

// Dial connects to the port at the pod's address on the machine. The source is not visible to the pod.
func (m Machine) Dial(ctx context.Context, protocol podnet.Protocol, port uint16, _ netip.Addr) (net.Conn, error) {
	if !slices.Contains(m.Ports, int32(port)) {
		return nil, fmt.Errorf("the pod at %s declares no port %d: %w", m.Address, port, ErrRefused)
	}
	return Address(protocol, netip.AddrPortFrom(m.Address, port))(ctx)
}
