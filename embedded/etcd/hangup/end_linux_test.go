package hangup

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// connect returns the ends of a connection that this process accepts.
func connect(t *testing.T) (listener net.Listener, client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if client, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if server, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	for _, one := range []net.Conn{client, server} {
		if err := one.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	return listener, client, server
}

func TestEnd(t *testing.T) {
	listener, client, server := connect(t)
	_, other, served := connect(t)
	open, err := accepted(ports([]string{"unix://etcd.sock", "https://" + listener.Addr().String(), "://"}))
	if err != nil || len(open) != 1 {
		t.Fatalf("%d connections, %v", len(open), err)
	}
	end(open[0])
	for name, one := range map[string]net.Conn{"client": client, "server": server} {
		if _, err := one.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the %s does not notice: %v", name, err)
		}
	}
	if _, err := served.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(other, make([]byte, 1)); err != nil {
		t.Errorf("a connection at another port: %v", err)
	}
	if again, err := net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Errorf("the listener has ended, too: %v", err)
	} else {
		_ = again.Close()
	}
}
