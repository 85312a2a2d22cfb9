package serviceproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// dialTimeout of one endpoint; all are on this machine or near.
const dialTimeout = 2 * time.Second

// listener serves one port of a Service.
type listener struct {
	proxy  *proxy
	target atomic.Pointer[target]
	closer func() error
	conns  relay.Set // outlive changes of the Service, end with close
	wg     sync.WaitGroup

	ctx    context.Context // of connections being made
	cancel context.CancelFunc
}

func (p *proxy) listen(a address, t target) (*listener, error) {
	l := &listener{proxy: p}
	l.target.Store(&t)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if a.protocol == corev1.ProtocolUDP {
		conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netipAddrPort(a)))
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		l.closer = conn.Close
		l.wg.Go(func() { l.serveUDP(conn) })
		return l, nil
	}
	tcp, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netipAddrPort(a)))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	l.closer = tcp.Close
	l.wg.Go(func() { l.serveTCP(tcp) })
	return l, nil
}

// close ends the listener and its connections, and waits for them.
func (l *listener) close() {
	l.cancel()
	_ = l.closer()
	l.conns.CloseAll()
	l.wg.Wait()
}

func (l *listener) serveTCP(tcp *net.TCPListener) {
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

func (l *listener) handle(conn *net.TCPConn) {
	target := *l.target.Load()
	backend, err := l.proxy.dial(l.ctx, "tcp", target)
	if err != nil {
		if absent := l.proxy.config.Absent; absent != nil {
			if answer, known := absent(l.ctx, target.namespace, target.service); known {
				answer(conn)
				return
			}
		}
		_ = conn.SetLinger(0) // a reset shows that no backend answered; an orderly end would not
		return
	}
	relay.Join(conn, backend)
}
