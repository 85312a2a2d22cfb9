package frontdoor_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
)

// party makes certificates for servers and clients that trust each other.
type party struct {
	pki  *testpki.PKI
	pool *x509.CertPool
}

func newParty(t *testing.T) *party {
	t.Helper()
	pki, err := testpki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(pki.Path("ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &party{pki: pki, pool: pool}
}

// backend is a TLS server for host that demands a client certificate, and answers each line with its own name, the
// client's name and the line. It returns its address.
func (p *party) backend(t *testing.T, name string, hosts ...string) string {
	t.Helper()
	certificate := keyPair(t)(p.pki.Server(hosts...))
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: p.pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				scanner := bufio.NewScanner(conn)
				for scanner.Scan() {
					client := conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
					_, _ = fmt.Fprintf(conn, "%s %s %s\n", name, client, scanner.Text())
				}
			}()
		}
	}()
	return l.Addr().String()
}

// dial connects to address, naming serverName; the server has to prove that name.
func (p *party) dial(t *testing.T, address, serverName string) (*tls.Conn, error) {
	t.Helper()
	config := &tls.Config{
		ServerName: serverName, RootCAs: p.pool,
		Certificates: []tls.Certificate{keyPair(t)(p.pki.Client("jane"))},
	}
	conn, err := (&tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: config}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn.(*tls.Conn), nil
}

func (p *party) ask(t *testing.T, address, serverName string) string {
	t.Helper()
	conn, err := p.dial(t, address, serverName)
	if err != nil {
		t.Fatalf("connect to %s: %v", serverName, err)
	}
	return say(t, conn, "hello")
}

func say(t *testing.T, conn net.Conn, line string) string {
	t.Helper()
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

func keyPair(t *testing.T) func(cert, key []byte, err error) tls.Certificate {
	return func(cert, key []byte, err error) tls.Certificate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
}

func open(t *testing.T, config frontdoor.Config) (*frontdoor.Server, string) {
	t.Helper()
	config.Name, config.Addresses = "front-door", []string{"127.0.0.1:0"}
	server := frontdoor.New(config)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	if err := server.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return server, server.Addrs()[0].String()
}

func TestRouting(t *testing.T) {
	p := newParty(t)
	garden := p.backend(t, "garden", "api.garden.test")
	shoots := p.backend(t, "shoots", "*.shoots.test", "*.other.shoots.test")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	before := goleak.IgnoreCurrent() // the backends
	server, address := open(t, frontdoor.Config{Routes: map[string]string{
		"API.garden.test": garden,
		"*.shoots.test":   shoots,
		"down.test":       closed.Addr().String(),
	}})

	t.Run("SNI-1 one port serves all, SNI-3 client certificates reach the server behind", func(t *testing.T) {
		for name, want := range map[string]string{
			"api.garden.test":       "garden jane hello",
			"api.GARDEN.test":       "garden jane hello",
			"one.shoots.test":       "shoots jane hello",
			"api.other.shoots.test": "shoots jane hello",
		} {
			if got := p.ask(t, address, name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	})

	t.Run("SNI-3 the certificate is that of the server behind", func(t *testing.T) {
		conn, err := p.dial(t, address, "api.garden.test")
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.ConnectionState().PeerCertificates[0].VerifyHostname("api.garden.test"); err != nil {
			t.Error(err)
		}
	})

	t.Run("SNI-4 unknown and missing names are refused with an alert", func(t *testing.T) {
		for _, name := range []string{"unknown.test", "shoots.test", "garden.test"} {
			if _, err := p.dial(t, address, name); !isAlert(err, 112) {
				t.Errorf("%s: got %v, want unrecognized name", name, err)
			}
		}
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) // an IP address is not sent as a name
		if !isAlert(err, 112) {
			t.Errorf("no name: got %v, %v, want unrecognized name", conn, err)
		}
	})

	t.Run("a server that is down is told by an alert", func(t *testing.T) {
		if _, err := p.dial(t, address, "down.test"); !isAlert(err, 80) {
			t.Errorf("got %v, want internal error", err)
		}
	})

	t.Run("what is not TLS is closed without an answer", func(t *testing.T) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: api.garden.test\r\n\r\n")
		_ = conn.SetDeadline(time.Now().Add(4 * time.Second))
		if answer, err := io.ReadAll(conn); len(answer) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %q, %v", answer, err)
		}
	})

	t.Run("stop ends connections and goroutines", func(t *testing.T) {
		conn, err := p.dial(t, address, "api.garden.test")
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("the connection is still open")
		}
		goleak.VerifyNone(t, before)
	})
}

// isAlert reports whether the peer sent this alert.
func isAlert(err error, description uint8) bool {
	var alert tls.AlertError
	var op *net.OpError
	if errors.As(err, &alert) {
		return uint8(alert) == description
	}
	// The client of the standard library wraps alerts of the peer in an unexported type with the same text.
	return errors.As(err, &op) && op.Op == "remote error" && op.Err.Error() == tls.AlertError(description).Error()
}
