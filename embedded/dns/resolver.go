package dns

import (
	"context"
	"net"
	"time"
)

// dialTimeout of one connection to the name server, which is on this machine.
const dialTimeout = 2 * time.Second

// Resolver returns a resolver that asks the name server at addr (host:port), whatever the machine's configuration says.
func Resolver(addr string) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			dialer := net.Dialer{Timeout: dialTimeout}
			return dialer.DialContext(ctx, network, addr)
		},
	}
}
