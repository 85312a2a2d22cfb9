package callback

import (
	"errors"
	"net"
	"testing"
)

func TestServersOfAFlood(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var servers Servers
	for _, name := range []string{"garden", "webhook"} {
		servers.Forward(name, listener.Addr().String())
	}
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			_ = conn.Close()
		}
	}()
	dial := func(name string) error {
		conn, err := servers.Dial(name)
		if err == nil {
			conns = append(conns, conn)
		}
		return err
	}
	for range maxConnections {
		if err := dial("garden"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("GLT-22 who runs another program as the component cannot have more connections to a server", func(t *testing.T) {
		if err := dial("garden"); !errors.Is(err, ErrTooMany) {
			t.Errorf("one more: %v", err)
		}
	})
	t.Run("GLT-22 a flood of one server takes nothing from another", func(t *testing.T) {
		if err := dial("webhook"); err != nil {
			t.Error(err)
		}
	})
	t.Run("GLT-22 a connection that ends makes room, once", func(t *testing.T) {
		for range 2 {
			_ = conns[0].Close()
		}
		if err := dial("garden"); err != nil {
			t.Error(err)
		}
		if err := dial("garden"); !errors.Is(err, ErrTooMany) {
			t.Errorf("one more: %v", err)
		}
	})
}
