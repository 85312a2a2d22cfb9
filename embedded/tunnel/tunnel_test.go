package tunnel

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/hashicorp/yamux"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// authority makes certificates that its pool accepts.
type authority struct {
	certificate.Authority
	pool *x509.CertPool
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: "vpn"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := authority{Authority: pair.Authority(), pool: x509.NewCertPool()}
	a.pool.AddCert(pair.Cert)
	return a
}

func (a authority) issue(t *testing.T, name string, usage x509.ExtKeyUsage) tls.Certificate {
	t.Helper()
	pair, err := a.Issue(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{usage},
	})
	if err != nil {
		t.Fatal(err)
	}
	return pair.TLS()
}

// scene is a server, a front door that knows it, and what an agent needs.
type scene struct {
	server  *Server
	gateway string
	tls     *tls.Config
}

const destination = "outbound|1194||vpn-seed-server.shoot--p--s.svc.cluster.local"

func newScene(t *testing.T, ca authority) *scene {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "vpn-seed-server", x509.ExtKeyUsageServerAuth)},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: ca.pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{server: NewServer(logr.Discard()), tls: &tls.Config{
		RootCAs: ca.pool, ServerName: "vpn-seed-server", Certificates: []tls.Certificate{ca.issue(t, "vpn-shoot-client", x509.ExtKeyUsageClientAuth)},
	}}
	done := make(chan error, 1)
	go func() { done <- s.server.ServeAgents(ctx, listener) }()
	s.gateway = frontDoor(t, listener.Addr().String())
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serving agents ended with %v", err)
		}
	})
	return s
}

// frontDoor stands for the one of a seed: it joins requests with the right header to the server.
func frontDoor(t *testing.T, server string) string {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(Header) != destination {
			http.Error(w, "unknown", http.StatusNotFound)
			return
		}
		backend, err := net.Dial("tcp", server)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n\r\n")
		relay.Join(conn, backend)
	}))
	t.Cleanup(front.Close)
	return front.Listener.Addr().String()
}

// start runs an agent until the test ends; the function returned ends it earlier.
func (s *scene) start(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	former := s.session()
	up, done := make(chan struct{}, 10), make(chan struct{})
	agent := &Agent{Gateway: s.gateway, Destination: destination, TLS: s.tls, Log: logr.Discard(), connected: func() { up <- struct{}{} }}
	go func() {
		defer close(done)
		_ = agent.Run(ctx)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	select {
	case <-up:
	case <-time.After(20 * time.Second):
		t.Fatal("the agent does not connect")
	}
	s.waitForOther(t, former)
	return stop
}

func (s *scene) session() *yamux.Session {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.server.session
}

// waitForOther returns when the server, which learns of a new agent later than the agent itself, has left the former one.
func (s *scene) waitForOther(t *testing.T, former *yamux.Session) {
	t.Helper()
	testwait.Until(t, "the server sees the agent", func() error {
		if s.session() == former {
			return errors.New("it has the former session")
		}
		return nil
	})
}

// get asks an HTTP server inside the shoot through the server's CONNECT endpoint.
func (s *scene) get(t *testing.T, url string) (string, error) {
	t.Helper()
	egress := httptest.NewServer(s.server)
	defer egress.Close()
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
		conn, err := net.Dial("tcp", egress.Listener.Addr().String())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusOK {
			reason, _ := io.ReadAll(answer.Body)
			return nil, fmt.Errorf("%s: %s", answer.Status, reason)
		}
		return conn, nil
	}}}
	answer, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

func TestTunnel(t *testing.T) {
	s := newScene(t, newAuthority(t))
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.Repeat("kubelet", 100_000)) }))
	defer inside.Close()

	t.Run("VPN-6 without an agent the answer says so", func(t *testing.T) {
		if _, err := s.get(t, inside.URL); err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), ErrNoAgent.Error()) {
			t.Errorf("error is %v", err)
		}
	})
	stop := s.start(t)
	t.Run("VPN-3 the API server reaches what is inside the shoot", func(t *testing.T) {
		if body, err := s.get(t, inside.URL); err != nil || len(body) != 700_000 {
			t.Errorf("got %d bytes, %v", len(body), err)
		}
	})
	t.Run("VPN-3 a target that is not there is refused with its reason", func(t *testing.T) {
		if _, err := s.get(t, "http://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "502") || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("VPN-6 after the agent's pod was replaced it works again", func(t *testing.T) {
		stop()
		s.start(t)
		deadline := time.Now().Add(20 * time.Second)
		for _, err := s.get(t, inside.URL); err != nil; _, err = s.get(t, inside.URL) {
			if time.Now().After(deadline) {
				t.Fatalf("still: %v", err)
			}
		}
	})
	t.Run("VPN-6 a second agent takes the place of one that says nothing any more", func(t *testing.T) {
		s.start(t)
		if body, err := s.get(t, inside.URL); err != nil || body == "" {
			t.Errorf("got %q, %v", body, err)
		}
	})
}

func TestTunnelRefuses(t *testing.T) {
	ca := newAuthority(t)
	s := newScene(t, ca)
	once := func(change func(*Agent)) error {
		agent := &Agent{Gateway: s.gateway, Destination: destination, TLS: s.tls.Clone(), Log: logr.Discard()}
		change(agent)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		return agent.once(ctx)
	}
	t.Run("VPN-2 a wrong header is rejected", func(t *testing.T) {
		err := once(func(a *Agent) { a.Destination = "outbound|1194||vpn-seed-server.other.svc.cluster.local" })
		if err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("VPN-5 an agent with a certificate of a foreign authority is refused", func(t *testing.T) {
		err := once(func(a *Agent) {
			a.TLS.Certificates = []tls.Certificate{newAuthority(t).issue(t, "vpn-shoot-client", x509.ExtKeyUsageClientAuth)}
		})
		if err == nil || s.server.Connected() {
			t.Errorf("error is %v, connected: %v", err, s.server.Connected())
		}
	})
	t.Run("VPN-5 a server of a foreign authority is refused", func(t *testing.T) {
		err := once(func(a *Agent) { a.TLS.RootCAs = newAuthority(t).pool })
		if unknown := (*tls.CertificateVerificationError)(nil); !errors.As(err, &unknown) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("only CONNECT is served", func(t *testing.T) {
		recorder := httptest.NewRecorder()
		s.server.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
		if recorder.Code != http.StatusMethodNotAllowed {
			t.Errorf("code is %d", recorder.Code)
		}
	})
}
