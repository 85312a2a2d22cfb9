package testenv

import (
	"math/rand/v2"
	"net"
	"net/netip"
)

// ownAddress returns a random loopback address. Environments that run at the same time then cannot take each other's
// ports between finding a free port and listening on it. If only 127.0.0.1 exists, it returns that address.
func ownAddress() string {
	address := netip.AddrFrom4([4]byte{127, byte(128 + rand.IntN(127)), byte(rand.IntN(256)), byte(1 + rand.IntN(254))}).String()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	_ = l.Close()
	return address
}
