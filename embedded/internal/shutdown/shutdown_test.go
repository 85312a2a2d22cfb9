package shutdown

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestListener(t *testing.T) {
	for name, last := range map[string]bool{"the last server ends its connections when requests are answered": true, "clients of others leave by themselves": false} {
		t.Run(name, func(t *testing.T) {
			inner, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan struct{})
			l := &listener{Listener: inner, open: map[*connection]struct{}{}}
			if last {
				l.answered = func() { <-answered }
			}
			client, err := net.Dial("tcp", inner.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			server, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			_ = l.Close() // servers do so twice
			expectOpen(t, client, server)
			close(answered)
			if !last {
				expectOpen(t, client, server)
				return
			}
			_ = client.SetDeadline(time.Now().Add(time.Minute))
			if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("read: %v", err)
			}
		})
	}
}

// expectOpen sends a byte to the client.
func expectOpen(t *testing.T, client, server net.Conn) {
	t.Helper()
	if _, err := server.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}
