package app

import (
	"net"
	"os"

	"github.com/gardener-up/gardener-up/embedded/dns"
)

// resolverVariable carries the address of the landscape's DNS server to processes on an embedded node.
const resolverVariable = "GARDENER_DNS"

// setResolver makes this process resolve names through the landscape when it runs on an embedded node.
func setResolver() {
	if address := os.Getenv(resolverVariable); address != "" {
		setResolverTo(address)
	}
}

// setResolverTo makes every look-up of this process go to that DNS server.
func setResolverTo(address string) { net.DefaultResolver = dns.Resolver(address) }
