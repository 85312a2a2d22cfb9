// Package testport finds ports for servers of tests. It imports the standard library only. Only tests may import this package.
package testport

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are chosen from this range, which lies above the ports of landscapes and below those that the kernel gives to outgoing connections (from 32768 on): a port
// that the kernel has chosen may be taken by a connection of any process before the server listens, or while it starts again.
const (
	lowest  = 30000
	highest = 32767
)

const attempts = 100

// Free returns a port of 127.0.0.1 at which nobody listens, neither by TCP nor by UDP.
func Free(t testing.TB) int {
	t.Helper()
	for range attempts {
		port := lowest + rand.IntN(highest-lowest+1)
		if free(port) {
			return port
		}
	}
	t.Fatalf("none of %d ports between %d and %d is free", attempts, lowest, highest)
	return 0
}

func free(port int) bool {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	defer func() { _ = listener.Close() }()
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	return packets.Close() == nil
}
