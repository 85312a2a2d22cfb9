package main

import (
	"net"
	"os"

	"github.com/gardener-up/gardener-up/embedded/dns/resolver"
)

// resolverVariable carries the address of the landscape's DNS server to processes on an embedded node.
const resolverVariable = "GARDENER_DNS"

func setResolver() {
	if address := os.Getenv(resolverVariable); address != "" {
		net.DefaultResolver = resolver.At(address)
	}
}
