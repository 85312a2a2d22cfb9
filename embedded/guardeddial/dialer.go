package guardeddial

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	dialTimeout = 30 * time.Second
	keepAlive   = 30 * time.Second
)

// DialContext connects to an address as net.Dialer does, unless the rules refuse it.
func (r Rules) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	if to, err := netip.ParseAddrPort(address); err == nil && r.Cluster != nil && r.Simulates(to.Addr()) {
		return r.Cluster(ctx, network, to)
	}
	if !r.trusts(host, port) {
		dialer.Control = r.control
	}
	return dialer.DialContext(ctx, network, address)
}

// control is called with the resolved address, before the connection is made.
func (r Rules) control(network, address string, _ syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return fmt.Errorf("connections by %s are not allowed", network)
	}
	endpoint, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial %s: %w", address, err)
	}
	return r.Check(endpoint)
}

// NoProxy is for http.Transport.Proxy: a proxy would dial without these rules.
func NoProxy(*http.Request) (*url.URL, error) { return nil, nil }

// GuardProcess applies the rules to http.DefaultTransport and to all transports that take their dialer from it. It also removes
// proxies from the environment. It changes globals. So it is for processes that serve only one user, and must be called before the
// process makes any request.
func (r Rules) GuardProcess() error {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		for _, variable := range []string{name, strings.ToLower(name)} {
			if err := os.Unsetenv(variable); err != nil {
				return fmt.Errorf("remove %s from the environment: %w", variable, err)
			}
		}
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return fmt.Errorf("the default transport is a %T, which cannot be guarded", http.DefaultTransport)
	}
	transport.DialContext, transport.Proxy = r.DialContext, NoProxy
	return nil
}
