package serviceproxy

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/portserver"
)

// dialTimeout of one endpoint; all are on this machine or near.
const dialTimeout = 2 * time.Second

// listener serves one port of a Service. Its connections outlive changes of the Service, and end with it.
type listener struct {
	*portserver.Listener
	proxy    *proxy
	protocol string // as package net names it
	target   atomic.Pointer[target]
}

func (p *proxy) listen(a address, t target) (_ *listener, err error) {
	l := &listener{proxy: p, protocol: strings.ToLower(string(a.protocol))}
	l.target.Store(&t)
	l.Listener, err = portserver.Listen(portserver.Config{Address: netip.AddrPortFrom(a.ip, a.port), Protocol: a.protocol, Dial: l.dial, Failed: l.absent})
	return l, err
}

func (l *listener) dial(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	return l.proxy.dial(ctx, l.protocol, *l.target.Load())
}

// absent answers a connection to a Service behind which no pod answers, if it is known why.
func (l *listener) absent(ctx context.Context, conn *net.TCPConn) bool {
	absent := l.proxy.config.Absent
	if absent == nil {
		return false
	}
	target := *l.target.Load()
	answer, known := absent(ctx, target.namespace, target.service)
	if known {
		answer(conn)
	}
	return known
}
