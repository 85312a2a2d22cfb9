package podnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/kernel"
)

const (
	// dialTimeout is how long a connection may take. The pod waits less patiently, or gives up itself.
	dialTimeout = 30 * time.Second
	// maxConnections is how many TCP connections a pod may have in each direction, so that one pod cannot use up the
	// daemon's file descriptors.
	maxConnections = 1024
)

// errOwnPort says that the pod has connected to the port of the daemon itself.
var errOwnPort = errors.New("the port is for redirected connections only")

// acceptOutgoing accepts the connections of the pod until the network ends.
func (n *Network) acceptOutgoing() {
	n.accept(n.listener, n.handleOutgoing)
}

// accept handles the connections of a listener until it is closed.
func (n *Network) accept(listener *net.TCPListener, handle func(*net.TCPConn)) {
	slots := make(chan struct{}, maxConnections)
	for {
		conn, err := listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others end some time
			select {
			case <-n.ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		select {
		case slots <- struct{}{}:
			n.relays.Go(conn, func() {
				defer func() { <-slots }()
				handle(conn)
			})
		default:
			reset(conn)
			_ = conn.Close()
		}
	}
}

// reset makes the end of the connection an error for its client.
func reset(conn *net.TCPConn) { _ = conn.SetLinger(0) }

func (n *Network) handleOutgoing(conn *net.TCPConn) {
	destination, err := kernel.OriginalTCP(conn)
	var out net.Conn
	if err == nil {
		out = n.beginnings.take(flow{conn.RemoteAddr().(*net.TCPAddr).AddrPort(), destination}, nil)
	}
	if err == nil && out == nil {
		out, err = n.leave(n.ctx, TCP, destination)
	}
	if err != nil {
		n.logRefusal(destination, err)
		reset(conn)
		return
	}
	n.join(conn, out)
}

func (n *Network) logRefusal(destination netip.AddrPort, reason error) {
	n.config.Log.V(1).Info("Connection of a pod was refused", "pod", n.config.Address, "destination", destination, "reason", reason.Error())
}

// join relays between two connections, of which the caller has registered the first only.
func (n *Network) join(conn, target net.Conn) {
	done := make(chan struct{})
	n.relays.Go(target, func() { <-done })
	relay.Join(conn, target)
	close(done)
}

// leave connects to a destination that the pod has chosen.
func (n *Network) leave(ctx context.Context, protocol Protocol, destination netip.AddrPort) (net.Conn, error) {
	if destination == n.reach {
		return nil, errOwnPort
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dial, err := n.config.Decide(ctx, protocol, destination)
	if err != nil {
		return nil, err
	}
	return dial(ctx)
}

// relayOutgoingPackets relays the UDP packets of the pod until the network ends.
func (n *Network) relayOutgoingPackets() {
	n.relayPackets(n.packets, func(ctx context.Context, client netip.AddrPort) (*target, error) {
		var conn net.Conn
		destination, err := n.tracking.OriginalUDP(client, n.reach)
		if err == nil {
			conn, err = n.leave(ctx, UDP, destination)
		}
		if err != nil {
			n.config.Log.V(1).Info("Packets of a pod were refused", "pod", n.config.Address, "destination", destination, "reason", err.Error())
			return nil, err
		}
		return newTarget(conn, destination.Port()), nil
	})
}
