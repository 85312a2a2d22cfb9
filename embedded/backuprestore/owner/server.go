package owner

import (
	"context"
	"net"
)

// At returns a resolver that asks one name server at host:port over TCP, whatever the configuration of the system says. The system resolves the
// host, which may be that of a Service.
func At(server string) Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			dialer := net.Dialer{Timeout: lookupTimeout}
			return dialer.DialContext(ctx, "tcp", server)
		},
	}
}
