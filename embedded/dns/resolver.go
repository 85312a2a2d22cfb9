package dns

import (
	"net"

	"github.com/gardener-up/gardener-up/embedded/dns/resolver"
)

// Resolver returns a resolver that asks the name server at addr (host:port), whatever the machine's configuration says.
func Resolver(addr string) *net.Resolver { return resolver.At(addr) }
