package frontdoor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/internal/proxyprotocol"
)

// echo answers every connection with what it sends.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	return listener.Addr().String()
}

// addresses is an AddressSource made of a map.
type addresses map[string]apiServer

func (addresses) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (a addresses) Service(address netip.Addr) (Destination, string, bool) {
	found, ok := a[address.String()]
	return found.Destination, found.namespace, ok
}

// ours is the namespace of the shoot that has a tunnel and an API server.
const ours = "shoot--p--s"

// open starts a front door whose destinations all lead to one address.
func open(t *testing.T, backend string, services AddressSource) *Server {
	t.Helper()
	server := New(Config{
		Name: "test", TunnelAddress: "127.0.0.1:0", ProxyAddress: "127.0.0.1:0", Services: services, Log: logr.Discard(),
		Serves:  func(namespace string) bool { return namespace == ours },
		Resolve: func(context.Context, string, int) (string, error) { return backend, nil },
	})
	if err := server.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	return server
}

func dial(t *testing.T, address net.Addr) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	return conn
}

func TestTunnels(t *testing.T) {
	server := open(t, echo(t), addresses{})
	for name, tc := range map[string]struct {
		request string
		code    int
	}{
		"VPN-2 a request with the right header is let through": {
			"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\nReversed-VPN: outbound|1194||vpn-seed-server.shoot--p--s.svc.cluster.local\r\n\r\n", http.StatusOK},
		"KON-5 the alternative comes through the same door": {
			"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\nReversed-VPN: outbound|8132||proxy-server.shoot--p--s.svc.cluster.local\r\n\r\n", http.StatusOK},
		"KON-5 it has a port of its own": {
			"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\nReversed-VPN: outbound|1194||proxy-server.shoot--p--s.svc.cluster.local\r\n\r\n", http.StatusNotFound},
		"VPN-2 a request without it is rejected": {"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\n\r\n", http.StatusNotFound},
		"VPN-2 one for another service is rejected": {
			"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\nReversed-VPN: outbound|1194||etcd-main-client.shoot--p--s.svc.cluster.local\r\n\r\n", http.StatusNotFound},
		"VPN-2 one for another port is rejected": {
			"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\nReversed-VPN: outbound|2379||vpn-seed-server.shoot--p--s.svc.cluster.local\r\n\r\n", http.StatusNotFound},
		"VPN-2 other methods are rejected": {
			"GET / HTTP/1.1\r\nHost: x\r\nReversed-VPN: outbound|1194||vpn-seed-server.shoot--p--s.svc.cluster.local\r\n\r\n", http.StatusNotFound},
		"PRT-4 the tunnel of a shoot that has another front door is rejected": {
			"CONNECT x:8132 HTTP/1.1\r\nHost: x:8132\r\nReversed-VPN: outbound|1194||vpn-seed-server.shoot--p--other.svc.cluster.local\r\n\r\n", http.StatusNotFound},
		"PRT-1 what is not HTTP is rejected": {"hello\r\n\r\n", http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, server.Addrs()[0])
			fmt.Fprint(conn, tc.request)
			reader := bufio.NewReader(conn)
			answer, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
			if err != nil || answer.StatusCode != tc.code {
				t.Fatalf("answer is %v, %v; want %d", answer, err, tc.code)
			}
			if tc.code != http.StatusOK {
				return
			}
			fmt.Fprint(conn, "ping")
			got := make([]byte, 4)
			if _, err := io.ReadFull(reader, got); err != nil || string(got) != "ping" {
				t.Errorf("echo is %q, %v", got, err)
			}
		})
	}
}

func TestProxyProtocol(t *testing.T) {
	client := netip.MustParseAddrPort("10.0.0.7:4711")
	server := open(t, "", addresses{"10.2.3.4": {destinationOf(t, echo(t)), ours}, "10.2.3.6": {destinationOf(t, echo(t)), "shoot--p--other"}})
	t.Run("SNI-10 a connection for the address of an API server gets there", func(t *testing.T) {
		conn := dial(t, server.Addrs()[1])
		_, _ = conn.Write(append(proxyprotocol.Header(client, netip.MustParseAddrPort("10.2.3.4:443")), "ping"...))
		got := make([]byte, 4)
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != "ping" {
			t.Errorf("echo is %q, %v", got, err)
		}
	})
	for name, head := range map[string][]byte{
		"SNI-10 one for another address is dropped":                    proxyprotocol.Header(client, netip.MustParseAddrPort("10.2.3.5:443")),
		"SNI-10 one for another port is dropped":                       proxyprotocol.Header(client, netip.MustParseAddrPort("10.2.3.4:2379")),
		"SNI-10 one without a header is dropped":                       bytes.Repeat([]byte("x"), 64),
		"PRT-4 one for a shoot that has another front door is dropped": proxyprotocol.Header(client, netip.MustParseAddrPort("10.2.3.6:443")),
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, server.Addrs()[1])
			_, _ = conn.Write(append(head, "ping"...))
			if n, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("%d bytes were answered", n)
			}
		})
	}
}

func destinationOf(t *testing.T, address string) Destination {
	t.Helper()
	parsed := netip.MustParseAddrPort(address)
	return Destination{Host: parsed.Addr().String(), Port: int(parsed.Port())}
}
