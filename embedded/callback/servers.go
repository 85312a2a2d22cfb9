package callback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/tunnel"
)

// dialTimeout bounds how long a server may take to accept a connection.
const dialTimeout = 10 * time.Second

// ErrNotServed means that the process has no server of the name.
var ErrNotServed = errors.New("not served")

// Servers are the servers of a process that a cluster may call, by name. The zero value has none.
type Servers struct {
	mu   sync.Mutex
	dial map[string]func() (net.Conn, error)
}

// Forward makes the name lead to a server that listens at an address host:port of this machine.
func (s *Servers) Forward(name, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(name, func() (net.Conn, error) { return net.DialTimeout("tcp", address, dialTimeout) })
}

// Listen makes the name lead to who accepts connections of the listener, which exists in this process only. It returns an error while
// another listener has the name.
func (s *Servers) Listen(name string) (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dial[name] != nil {
		return nil, fmt.Errorf("listen for callbacks: %q has a server already", name)
	}
	l := &listener{name: name, conns: make(chan net.Conn), closed: make(chan struct{}), leave: func() { s.remove(name) }}
	s.put(name, l.dial)
	return l, nil
}

// Answer answers connections to the ports of a component until conn breaks or ctx ends, and closes conn. It calls up when the component has
// answered.
func (s *Servers) Answer(ctx context.Context, conn io.ReadWriteCloser, up func(), log logr.Logger) error {
	return tunnel.Answerer{Dial: s.Dial, Up: up, Log: log}.Answer(ctx, conn)
}

// Dial connects to a server.
func (s *Servers) Dial(name string) (net.Conn, error) {
	s.mu.Lock()
	dial := s.dial[name]
	s.mu.Unlock()
	if dial == nil {
		return nil, fmt.Errorf("%q is %w", name, ErrNotServed)
	}
	return dial()
}

func (s *Servers) put(name string, dial func() (net.Conn, error)) {
	if s.dial == nil {
		s.dial = map[string]func() (net.Conn, error){}
	}
	s.dial[name] = dial
}

func (s *Servers) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.dial, name)
}
