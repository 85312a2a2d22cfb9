package podnet

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/kernel"
)

// keepTime is how long a connection is kept for a client that does not go on. It goes on at once, or has ended.
const keepTime = 10 * time.Second

// flow names a TCP connection of the pod.
type flow struct{ source, destination netip.AddrPort }

// beginnings are connections that were made for clients in the pod whose own connection is still to begin.
type beginnings struct {
	mu     sync.Mutex
	byFlow map[flow]*beginning
}

type beginning struct {
	conn   net.Conn // nil while it is being made
	expiry *time.Timer
}

// answerBeginnings connects before the kernel lets the pod's connections begin, until the network ends.
func (n *Network) answerBeginnings() {
	for {
		packet, err := n.held.Next()
		if err != nil {
			return
		}
		of := flow{packet.Source, packet.Destination}
		if answer, known := n.beginnings.add(of); known {
			_ = n.held.Answer(packet, answer)
			continue
		}
		n.loops.Go(func() { _ = n.held.Answer(packet, n.begin(of)) })
	}
}

// add notes that a connection is being made, or returns the answer if that is known.
func (b *beginnings) add(of flow) (answer kernel.Answer, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch current, ok := b.byFlow[of]; {
	case ok && current.conn != nil:
		return kernel.Continue, true
	case ok:
		return kernel.Drop, true // the client was impatient: its first packet will be answered
	case len(b.byFlow) >= maxConnections:
		return kernel.Refuse, true
	}
	b.byFlow[of] = &beginning{}
	return 0, false
}

func (n *Network) begin(of flow) kernel.Answer {
	conn, err := n.leave(n.ctx, TCP, of.destination)
	n.beginnings.mu.Lock()
	defer n.beginnings.mu.Unlock()
	if err != nil {
		delete(n.beginnings.byFlow, of)
		n.logRefusal(of.destination, err)
		return kernel.Refuse
	}
	current := n.beginnings.byFlow[of]
	current.conn = conn
	current.expiry = time.AfterFunc(keepTime, func() {
		if conn := n.beginnings.take(of, current); conn != nil {
			_ = conn.Close()
		}
	})
	return kernel.Continue
}

// take returns the connection that was made for a client, if there is one, which then belongs to the caller. If only is not nil, it
// is the only one to be taken.
func (b *beginnings) take(of flow, only *beginning) net.Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	current := b.byFlow[of]
	if current == nil || current.conn == nil || only != nil && current != only {
		return nil
	}
	current.expiry.Stop()
	delete(b.byFlow, of)
	return current.conn
}

// close closes what nobody has taken.
func (b *beginnings) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, current := range b.byFlow {
		if current.conn != nil {
			current.expiry.Stop()
			_ = current.conn.Close()
		}
	}
	clear(b.byFlow)
}
