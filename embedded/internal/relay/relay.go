// Package relay copies data between two connections, for the proxies and the tunnel below embedded/.
package relay

import (
	"io"
	"net"
	"sync"
)

// Join copies both ways until both directions have ended, then closes both connections. The end of one direction is
// passed on as a half-close, or as the end of a connection that has none. Between TCP connections the kernel does the copying.
func Join(a, b net.Conn) {
	var wg sync.WaitGroup
	wg.Go(func() { pass(a, b) })
	pass(b, a)
	wg.Wait()
	_ = a.Close()
	_ = b.Close()
}

func pass(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil {
		// One side is broken: nothing useful can come of the other direction.
		_ = dst.Close()
		_ = src.Close()
		return
	}
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = dst.Close() // of a stream: the other direction stays open
}

// Set tracks open connections, so that a stopping server can close them and wait for their handlers. The zero value is
// ready to use.
type Set struct {
	mu     sync.Mutex
	closed bool
	conns  map[io.Closer]struct{}
	wg     sync.WaitGroup
}

// Go runs handle in a goroutine and closes conn when it returns. After CloseAll it closes conn at once.
func (s *Set) Go(conn io.Closer, handle func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return
	}
	if s.conns == nil {
		s.conns = map[io.Closer]struct{}{}
	}
	s.conns[conn] = struct{}{}
	s.wg.Go(func() {
		handle()
		_ = conn.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, conn)
	})
}

// Len returns the number of open connections.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// CloseAll closes all connections and waits until all handlers have returned.
func (s *Set) CloseAll() {
	s.mu.Lock()
	s.closed = true
	for conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}
