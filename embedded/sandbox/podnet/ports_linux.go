package podnet

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/kernel"
)

const (
	// firstLook is the pause between two looks at the pod's ports after something has changed. It grows with each look that finds no change up to lastLook.
	firstLook = 30 * time.Millisecond
	lastLook  = time.Second
	// firstClientPort and lastClientPort are the range from which the kernel takes the ports of clients.
	firstClientPort, lastClientPort = 32768, 60999
)

// Port is a port on which the pod listens.
type Port struct {
	Protocol Protocol
	Number   uint16
}

// Open is a port of the pod, and whether the machine serves it.
type Open struct {
	Port
	// Err says why the port is not open at the pod's address on the machine. It is fs.ErrPermission for ports below 1024
	// if the daemon's user must not open these. Dial reaches the port in any case.
	Err error
}

// opened is a port that is open on the machine, or could not be opened.
type opened struct {
	close func()
	err   error
}

// ports are what the pod listens on. The zero value needs a map.
type ports struct {
	mu   sync.Mutex
	open map[Port]*opened
	// once are UDP ports in the range of clients that were seen once. A client's socket does not live long.
	once map[Port]bool
}

// Ports returns the ports that the pod listens on, in order.
func (n *Network) Ports() []Open {
	n.ports.mu.Lock()
	defer n.ports.mu.Unlock()
	var all []Open
	for port, state := range n.ports.open {
		all = append(all, Open{Port: port, Err: state.err})
	}
	slices.SortFunc(all, func(a, b Open) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Number, b.Number))
	})
	return all
}

// watchPorts opens and closes ports on the machine as the pod does, until the network ends.
func (n *Network) watchPorts() {
	defer n.closePorts()
	pause := firstLook
	for {
		bound, err := n.diagnosis.Bound()
		switch {
		case n.ctx.Err() != nil:
			return
		case err != nil:
			n.config.Log.Error(err, "Ports of a pod cannot be listed, will try again", "pod", n.config.Address)
			pause = lastLook
		case n.follow(bound):
			pause = firstLook
		default:
			pause = min(pause*5/4, lastLook)
		}
		select {
		case <-n.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// follow opens and closes ports until they are those of the pod, and reports whether something changed.
func (n *Network) follow(bound []kernel.Bound) (changed bool) {
	n.ports.mu.Lock()
	defer n.ports.mu.Unlock()
	wanted := n.wanted(bound)
	for port, state := range n.ports.open {
		if !wanted[port] {
			state.close()
			delete(n.ports.open, port)
			changed = true
		}
	}
	for port := range wanted {
		known, ok := n.ports.open[port]
		if ok && (known.err == nil || errors.Is(known.err, fs.ErrPermission)) {
			continue
		}
		n.ports.open[port] = n.openPort(port)
		if !ok {
			changed = true
			if err := n.ports.open[port].err; err != nil {
				n.config.Log.Info("Port of a pod is not open on the machine", "address", n.hostPort(port), "protocol", port.Protocol, "reason", err.Error())
			}
		}
	}
	return changed
}

// wanted returns the ports that are reachable at the pod's address.
func (n *Network) wanted(bound []kernel.Bound) map[Port]bool {
	wanted, once := map[Port]bool{}, map[Port]bool{}
	for _, socket := range bound {
		address := socket.Address.Addr()
		if socket.Address == n.reach || !address.IsUnspecified() && address != n.config.Address {
			continue
		}
		port := Port{TCP, socket.Address.Port()}
		if !socket.TCP {
			port.Protocol = UDP
			if port.Number >= firstClientPort && port.Number <= lastClientPort {
				once[port] = true
				if !n.ports.once[port] {
					continue
				}
			}
		}
		wanted[port] = true
	}
	n.ports.once = once
	return wanted
}

func (n *Network) hostPort(port Port) netip.AddrPort {
	return netip.AddrPortFrom(n.config.Address, port.Number)
}

// openPort listens on the machine.
func (n *Network) openPort(port Port) *opened {
	address := n.hostPort(port)
	if port.Protocol == UDP {
		socket, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(address))
		if err != nil {
			return &opened{close: func() {}, err: err}
		}
		n.loops.Go(func() {
			n.relayPackets(socket, func(ctx context.Context, client netip.AddrPort) (*target, error) {
				conn, err := n.Dial(ctx, UDP, port.Number, client.Addr())
				if err != nil {
					return nil, err
				}
				return newTarget(conn, port.Number), nil
			})
		})
		return &opened{close: func() { _ = socket.Close() }}
	}
	listener, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(address))
	if err != nil {
		return &opened{close: func() {}, err: err}
	}
	n.loops.Go(func() {
		n.accept(listener, func(conn *net.TCPConn) { n.handleIncoming(conn, port.Number) })
	})
	return &opened{close: func() { _ = listener.Close() }}
}

func (n *Network) handleIncoming(conn *net.TCPConn, port uint16) {
	source := netip.Addr{}
	if remote, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		source = remote.AddrPort().Addr()
	}
	ctx, cancel := context.WithTimeout(n.ctx, dialTimeout)
	target, err := n.Dial(ctx, TCP, port, source)
	cancel()
	if err != nil {
		reset(conn)
		return
	}
	n.join(conn, target)
}

func (n *Network) closePorts() {
	n.ports.mu.Lock()
	defer n.ports.mu.Unlock()
	for port, state := range n.ports.open {
		state.close()
		delete(n.ports.open, port)
	}
}
