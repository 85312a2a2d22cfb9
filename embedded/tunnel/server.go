package tunnel

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/hashicorp/yamux"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// Server is the end of the tunnel beside the API server. It has one agent at a time. A new agent replaces the
// previous one, whose machine may have disappeared without notice.
type Server struct {
	log     logr.Logger
	mu      sync.Mutex
	session *yamux.Session
}

// NewServer returns a server without an agent.
func NewServer(log logr.Logger) *Server { return &Server{log: log} }

// ErrNoAgent means that no agent is connected.
var ErrNoAgent = errors.New("no agent is connected")

// ServeAgents accepts connections of agents from a listener of TLS connections until ctx ends.
func (s *Server) ServeAgents(ctx context.Context, listener net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	defer s.replace(nil)
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("take connections of agents: %w", err)
		}
		go s.welcome(ctx, conn)
	}
}

// welcome authenticates the new agent before it disconnects the previous one.
func (s *Server) welcome(ctx context.Context, conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		ctx, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		if err := secure.HandshakeContext(ctx); err != nil {
			s.log.V(1).Info("Refused an agent", "client", conn.RemoteAddr().String(), "error", err.Error())
			_ = conn.Close()
			return
		}
	}
	session, err := yamux.Client(conn, sessionConfig())
	if err != nil {
		s.log.Error(err, "Could not begin session with an agent")
		_ = conn.Close()
		return
	}
	s.log.Info("Agent is connected", "client", conn.RemoteAddr().String())
	s.replace(session)
	<-session.CloseChan()
	s.log.Info("Agent is gone", "client", conn.RemoteAddr().String())
}

func (s *Server) replace(session *yamux.Session) {
	s.mu.Lock()
	former := s.session
	s.session = session
	s.mu.Unlock()
	if former != nil {
		_ = former.Close()
	}
}

// Connected reports whether an agent is connected.
func (s *Server) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session != nil && !s.session.IsClosed()
}

// Dial connects to what the agent understands by the address: host:port inside the shoot for a vpn-shoot-client.
func (s *Server) Dial(address string) (net.Conn, error) {
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	if session == nil || session.IsClosed() {
		return nil, ErrNoAgent
	}
	return open(session, address)
}

// ServeHTTP answers CONNECT requests and refuses all others.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "this is a tunnel: only CONNECT is served", http.StatusMethodNotAllowed)
		return
	}
	target, err := s.Dial(r.Host)
	if err != nil {
		code := http.StatusBadGateway
		if errors.Is(err, ErrNoAgent) {
			code = http.StatusServiceUnavailable
		}
		http.Error(w, err.Error(), code)
		return
	}
	defer target.Close()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "this connection cannot be taken over", http.StatusHTTPVersionNotSupported)
		return
	}
	conn, buffered, err := hijacker.Hijack()
	if err != nil {
		return // the client is gone
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Time{})
	if _, err := conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	if n := buffered.Reader.Buffered(); n > 0 { // the client did not wait for the answer
		head, _ := buffered.Reader.Peek(n)
		if _, err := target.Write(head); err != nil {
			return
		}
	}
	relay.Join(conn, target)
}
