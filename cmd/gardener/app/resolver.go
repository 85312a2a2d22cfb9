package app

import (
	"net"
	"os"

	"github.com/gardener-up/gardener-up/embedded/dns"
)

// resolverVariable carries the address of the landscape's DNS server to processes on an embedded node.
const resolverVariable = "GARDENER_DNS"

// setResolver makes this process resolve names through the landscape if it runs on an embedded node.
func setResolver() {
	if address := os.Getenv(resolverVariable); address != "" {
		setResolverTo(address)
	}
}

// setResolverTo sends every DNS look-up of this process to that DNS server.
func setResolverTo(address string) { net.DefaultResolver = dns.Resolver(address) }
