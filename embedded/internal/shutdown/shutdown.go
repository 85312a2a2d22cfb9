// Package shutdown ends API servers in time, whatever connections they have.
package shutdown

import (
	"context"
	"net"
	"sync"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
)

// patience is how long a server waits for connections to become idle. The default is the time limit of requests, a minute, for which it
// still waits for requests in flight.
const patience = 3 * time.Second

// grace is how long the last answers may take to be sent.
const grace = 50 * time.Millisecond

// Run runs a server until ctx ends, and then closes all its connections. The HTTP/2 server asks those clients to leave that it knows when
// the shutdown begins. A connection in its TLS handshake is not known yet. It would keep the server for the whole time limit, and its client
// would later be refused by a server that has ended.
//
// If the server is the last one, all connections are closed when all requests but watches are answered. Otherwise clients have a second to
// leave, in which they find another server.
func Run(ctx context.Context, server *genericapiserver.GenericAPIServer, last bool) error {
	listener := &listener{Listener: server.SecureServingInfo.Listener, open: map[*connection]struct{}{}}
	if last {
		listener.answered = server.NonLongRunningRequestWaitGroup.Wait
	}
	server.SecureServingInfo.Listener, server.ShutdownTimeout = listener, patience
	defer listener.closeConnections()
	return server.PrepareRun().RunWithContext(ctx)
}

// listener knows the connections that it has accepted and that are open.
type listener struct {
	net.Listener
	answered func() // waits for requests under way; nil leaves connections open when the listener is closed

	once sync.Once
	mu   sync.Mutex
	open map[*connection]struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{accepted, l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = struct{}{}
	return c, nil
}

// Close is called when the shutdown begins.
func (l *listener) Close() error {
	if l.answered != nil {
		l.once.Do(func() {
			go func() {
				l.answered()
				time.Sleep(grace)
				l.closeConnections()
			}()
		})
	}
	return l.Listener.Close()
}

func (l *listener) closeConnections() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.Conn.Close()
	}
}

type connection struct {
	net.Conn
	of *listener
}

func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
