package testport

import (
	"net"
	"strconv"
	"testing"
)

func TestFree(t *testing.T) {
	t.Run("a port is below those of outgoing connections", func(t *testing.T) {
		for range 20 {
			if port := Free(t); port < lowest || port > highest {
				t.Errorf("port %d", port)
			}
		}
	})
	t.Run("a port is not free while somebody listens", func(t *testing.T) {
		port := Free(t)
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			t.Fatal(err)
		}
		if free(port) {
			t.Errorf("port %d counts as free", port)
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
