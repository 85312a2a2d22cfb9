// Package resolver makes a process resolve names by one name server. It imports nothing but the standard library, for small programs.
package resolver

import (
	"context"
	"net"
	"time"
)

// dialTimeout of one connection to the name server, which is on this machine.
const dialTimeout = 2 * time.Second

// At returns a resolver that asks the name server at addr (host:port), whatever the machine's configuration says.
func At(addr string) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			dialer := net.Dialer{Timeout: dialTimeout}
			return dialer.DialContext(ctx, network, addr)
		},
	}
}
