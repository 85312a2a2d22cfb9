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

// ErrTooMany means that a server has all the connections that it may have.
var ErrTooMany = errors.New("too many connections")

// ErrNotServed means that the process has no server of the name.
var ErrNotServed = errors.New("not served")

// Servers are the servers of a process that a cluster may call, by name. The zero value has none.
type Servers struct {
	mu    sync.Mutex
	dial  map[string]func() (net.Conn, error)
	count map[string]int // connections to each server
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

// Dial connects to a server. A server has a limited number of connections at a time.
func (s *Servers) Dial(name string) (net.Conn, error) {
	dial, err := s.enter(name)
	if err != nil {
		return nil, err
	}
	conn, err := dial()
	if err != nil {
		s.leave(name)
		return nil, err
	}
	return &counted{Conn: conn, leave: func() { s.leave(name) }}, nil
}

// enter counts a connection to a server. The component has the same bound for each port, but whoever administers the cluster may run another program in its
// place.
func (s *Servers) enter(name string) (func() (net.Conn, error), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dial := s.dial[name]
	if dial == nil {
		return nil, fmt.Errorf("%q is %w", name, ErrNotServed)
	}
	if s.count[name] >= maxConnections {
		return nil, fmt.Errorf("connect to %q: %w", name, ErrTooMany)
	}
	if s.count == nil {
		s.count = map[string]int{}
	}
	s.count[name]++
	return dial, nil
}

func (s *Servers) leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[name]--
}

// counted is a connection to a server.
type counted struct {
	net.Conn
	once  sync.Once
	leave func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(c.leave)
	return c.Conn.Close()
}

// CloseWrite ends one direction, or the connection if it has no directions of its own.
func (c *counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
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
