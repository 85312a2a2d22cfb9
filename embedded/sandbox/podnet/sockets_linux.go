package podnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/handover"
)

// errEnded says that the agent does not serve any more.
var errEnded = errors.New("the pod has ended")

// sockets asks the agent for sockets in the pod's namespace.
type sockets struct {
	conn    *net.UnixConn
	mu      sync.Mutex // held for a request and its answer
	answers chan handover.Socket
	ended   chan struct{} // closed when the agent has ended
}

func newSockets(conn *net.UnixConn) *sockets {
	s := &sockets{conn: conn, answers: make(chan handover.Socket), ended: make(chan struct{})}
	go s.receive()
	return s
}

// receive passes answers on until the agent ends. It is always waiting, and so notices the end at once.
func (s *sockets) receive() {
	defer close(s.ended)
	defer s.conn.Close()
	for {
		answer, err := handover.ReceiveSocket(s.conn)
		if err != nil {
			return
		}
		s.answers <- answer // the one that asked is waiting
	}
}

// get returns a new socket of the pod, which belongs to the caller.
func (s *sockets) get(protocol Protocol) (*os.File, error) {
	kind := handover.TCP
	if protocol == UDP {
		kind = handover.UDP
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := handover.Request(s.conn, kind); err != nil {
		return nil, errEnded
	}
	select {
	case answer := <-s.answers:
		if answer.Refusal != nil {
			return nil, fmt.Errorf("make a socket in the pod: %w", answer.Refusal)
		}
		return answer.File, nil
	case <-s.ended:
		return nil, errEnded
	}
}

// close makes the agent end.
func (s *sockets) close() {
	_ = s.conn.Close()
	<-s.ended
}

// contextUntil returns a context that also ends when the network does.
func (n *Network) contextUntil(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(n.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
