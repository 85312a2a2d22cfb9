package portserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// Config says what is served, and how.
type Config struct {
	Address  netip.AddrPort
	Protocol corev1.Protocol // UDP, or else TCP
	// Dial connects to the server behind the port for a client. It is called from many goroutines. It must return when the context ends.
	Dial func(ctx context.Context, client netip.AddrPort) (net.Conn, error)
	// Failed answers a TCP connection for which Dial has failed, and returns true, or returns false. Nil answers none. Connections that are not answered
	// are reset: an orderly end would look like an answer.
	Failed func(ctx context.Context, conn *net.TCPConn) bool
}

// Listener serves one port until Close.
type Listener struct {
	config Config
	closer func() error
	conns  relay.Set
	wg     sync.WaitGroup

	ctx    context.Context // of connections being made
	cancel context.CancelFunc
}

// Listen opens the port and serves it in the background.
func Listen(config Config) (*Listener, error) {
	l := &Listener{config: config}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if config.Protocol == corev1.ProtocolUDP {
		conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(config.Address))
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		l.closer = conn.Close
		l.wg.Go(func() { l.serveUDP(conn) })
		return l, nil
	}
	tcp, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(config.Address))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	l.closer = tcp.Close
	l.wg.Go(func() { l.serveTCP(tcp) })
	return l, nil
}

// Close ends the listener and its connections, and waits for them.
func (l *Listener) Close() {
	l.cancel()
	_ = l.closer()
	l.conns.CloseAll()
	l.wg.Wait()
}

func (l *Listener) serveTCP(tcp *net.TCPListener) {
	for {
		conn, err := tcp.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others end some time
			select {
			case <-l.ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		l.conns.Go(conn, func() { l.handle(conn) })
	}
}

func (l *Listener) handle(conn *net.TCPConn) {
	var client netip.AddrPort
	if remote, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		client = remote.AddrPort()
	}
	backend, err := l.config.Dial(l.ctx, client)
	if err == nil {
		relay.Join(conn, backend)
		return
	}
	if l.config.Failed == nil || !l.config.Failed(l.ctx, conn) {
		_ = conn.SetLinger(0)
	}
}
