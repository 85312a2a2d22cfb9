package callback

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// listener accepts connections that come from the cluster. It has no port.
type listener struct {
	name   string
	conns  chan net.Conn
	closed chan struct{}
	leave  func()
	once   sync.Once
}

func (l *listener) dial() (net.Conn, error) {
	near, far := net.Pipe()
	timeout := time.NewTimer(dialTimeout)
	defer timeout.Stop()
	err := fmt.Errorf("%q does not accept connections within %s", l.name, dialTimeout)
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		err = fmt.Errorf("%q is %w", l.name, ErrNotServed)
	case <-timeout.C:
	}
	_, _ = near.Close(), far.Close()
	return nil, err
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. The name is free then.
func (l *listener) Close() error {
	l.once.Do(func() {
		l.leave()
		close(l.closed)
	})
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return address(l.name) }

// address is the name of a server.
type address string

// Network implements net.Addr.
func (address) Network() string { return "callback" }

// String implements net.Addr.
func (a address) String() string { return string(a) }
