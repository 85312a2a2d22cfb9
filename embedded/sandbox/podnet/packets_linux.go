package podnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// sessionIdle is the idle time after which a session of UDP ends. It is shorter than the 30 seconds after which the kernel forgets
	// where a client sent packets to. So a client cannot use a session for another destination.
	sessionIdle = 20 * time.Second
	// questionIdle is the same for a question to a DNS server, and answerIdle for the time after its answer: clients ask once and leave.
	questionIdle = 6 * time.Second
	answerIdle   = time.Second
	// maxSessions limits the sessions of one socket.
	maxSessions = 1024
	// maxWaiting is how many packets of a client wait for its session to begin. Further packets are lost.
	maxWaiting = 32
	maxPacket  = 65535
)

// target is the destination of a session.
type target struct {
	net.Conn
	question, answer time.Duration // idle times after a packet there, and after a packet back
}

func newTarget(conn net.Conn, port uint16) *target {
	if port == 53 {
		return &target{conn, questionIdle, answerIdle}
	}
	return &target{conn, sessionIdle, sessionIdle}
}

// expect ends the session after the time, if no packet comes back before.
func (t *target) expect(within time.Duration) { _ = t.SetReadDeadline(time.Now().Add(within)) }

// opener connects a session of a client to its destination.
type opener func(ctx context.Context, client netip.AddrPort) (*target, error)

// sessions relays packets between the clients of a socket and their destinations.
type sessions struct {
	network *Network
	socket  *net.UDPConn
	open    opener

	mu       sync.Mutex
	byClient map[netip.AddrPort]*session
}

// relayPackets relays the packets of the socket until it is closed.
func (n *Network) relayPackets(socket *net.UDPConn, open opener) {
	s := &sessions{network: n, socket: socket, open: open, byClient: map[netip.AddrPort]*session{}}
	buffer := make([]byte, maxPacket)
	for {
		size, client, err := socket.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // a client's refusal that the kernel reports here
		}
		s.pass(netip.AddrPortFrom(client.Addr().Unmap(), client.Port()), append([]byte(nil), buffer[:size]...))
	}
}

// pass gives a packet to the client's session, which it begins if there is none. It never blocks.
func (s *sessions) pass(client netip.AddrPort, packet []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, known := s.byClient[client]
	if !known {
		if len(s.byClient) >= maxSessions {
			return
		}
		ctx, cancel := context.WithCancel(s.network.ctx)
		current = &session{waiting: make(chan []byte, maxWaiting), cancel: cancel}
		s.byClient[client] = current
		s.network.relays.Go(current, func() { s.run(ctx, client, current.waiting) })
	}
	select {
	case current.waiting <- packet:
	default:
	}
}

// session is what a client's packets wait for.
type session struct {
	waiting chan []byte // packets on their way to the destination
	cancel  context.CancelFunc
}

// Close ends the session.
func (s *session) Close() error {
	s.cancel()
	return nil
}

// run is the life of a session.
func (s *sessions) run(ctx context.Context, client netip.AddrPort, waiting <-chan []byte) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.byClient, client)
	}()
	to, err := s.open(ctx, client)
	if err != nil {
		// The session stays for a moment, so that the client's further packets do not ask again.
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = to.Close() })()
	defer to.Close()
	to.expect(to.question)
	var back sync.WaitGroup
	defer back.Wait()
	back.Go(func() {
		defer cancel()
		s.answer(to, client)
	})
	for {
		select {
		case <-ctx.Done():
			return
		case packet := <-waiting:
			to.expect(to.question)
			_, _ = to.Write(packet) // a refusal shows when answers are read
		}
	}
}

// answer passes the destination's packets to the client until the session has been idle or is refused.
func (s *sessions) answer(from *target, client netip.AddrPort) {
	buffer := make([]byte, maxPacket)
	for {
		size, err := from.Read(buffer)
		if err != nil {
			return
		}
		from.expect(from.answer)
		if _, err := s.socket.WriteToUDPAddrPort(buffer[:size], client); err != nil {
			return
		}
	}
}
