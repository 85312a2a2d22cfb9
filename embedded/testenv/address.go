package testenv

import (
	"math/rand/v2"
	"net"
	"net/netip"
)

// ownAddress returns a random loopback address, so that environments running at the same time do not take each
// other's ports between looking for a free one and listening on it. Where only 127.0.0.1 exists, it is that.
func ownAddress() string {
	address := netip.AddrFrom4([4]byte{127, byte(128 + rand.IntN(127)), byte(rand.IntN(256)), byte(1 + rand.IntN(254))}).String()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	_ = l.Close()
	return address
}
