package serving_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/serving"
	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

// TestMain fails if the tests leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBoom = errors.New("boom")

// pair is a certificate that is its own CA, in files.
func pair(t *testing.T, name string, groups ...string) (cert, key string) {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name, Organization: groups}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate.AddHosts(template, "127.0.0.1")
	made, err := certificate.SelfSigned(template)
	if err != nil {
		t.Fatal(err)
	}
	certPEM, keyPEM, err := made.PEM()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	if err := errors.Join(os.WriteFile(cert, certPEM, 0o600), os.WriteFile(key, keyPEM, 0o600)); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// start serves until the test ends, and returns the URL.
func start(t *testing.T, server *serving.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error("it ended:", err)
		}
	})
	return "https://" + listener.Addr().String()
}

func get(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	answer, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

func clientWith(t *testing.T, certificates ...tls.Certificate) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestServer(t *testing.T) {
	cert, key := pair(t, "server")
	server := &serving.Server{CertFile: cert, KeyFile: key}
	client := clientWith(t)
	url := start(t, server)
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") })

	t.Run("GAC-1 it is healthy and not ready before there is a handler", func(t *testing.T) {
		if code, _ := get(t, client, url+"/healthz"); code != http.StatusOK {
			t.Errorf("healthz %d", code)
		}
		if code, _ := get(t, client, url+"/readyz"); code != http.StatusServiceUnavailable {
			t.Errorf("readyz %d", code)
		}
	})
	t.Run("GAC-1 a request waits for the handler", func(t *testing.T) {
		answered := make(chan string)
		go func() {
			_, text := get(t, client, url+"/webhooks/x")
			answered <- text
		}()
		select {
		case text := <-answered:
			t.Fatalf("it is answered at once: %q", text)
		case <-time.After(100 * time.Millisecond): // long enough for an answer
		}
		detach := server.Attach(hello, func() error { return nil })
		defer detach()
		if text := <-answered; text != "hello" {
			t.Errorf("answer %q", text)
		}
	})
	t.Run("GAC-1 a handler that is not ready says why, and one that is gone answers nothing", func(t *testing.T) {
		detach := server.Attach(hello, func() error { return errBoom })
		if err := server.Ready(); !errors.Is(err, errBoom) {
			t.Errorf("got %v", err)
		}
		later := server.Attach(hello, func() error { return nil })
		if detach(); server.Ready() != nil {
			t.Error("the end of one handler ended the next")
		}
		if later(); server.Ready() == nil {
			t.Error("it is ready without a handler")
		}
	})
	t.Run("GAC-1 metrics are served", func(t *testing.T) {
		if code, _ := get(t, client, url+"/metrics"); code != http.StatusOK {
			t.Errorf("metrics %d", code)
		}
	})
}

func TestCallers(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") })
	for name, tc := range map[string]struct {
		user   string
		groups []string
		want   int
	}{
		"the API server may call":       {user: "apiserver", want: http.StatusOK},
		"administrators may call":       {user: "alice", groups: []string{"system:masters"}, want: http.StatusOK},
		"nobody else may call":          {user: "alice", want: http.StatusUnauthorized},
		"who has no certificate cannot": {want: http.StatusUnauthorized},
	} {
		t.Run("GAC-1 "+name, func(t *testing.T) {
			cert, key := pair(t, "server")
			server := &serving.Server{CertFile: cert, KeyFile: key, ClientCAFile: cert}
			var certificates []tls.Certificate
			if tc.user != "" {
				clientCert, clientKey := pair(t, tc.user, tc.groups...)
				loaded, err := tls.LoadX509KeyPair(clientCert, clientKey)
				if err != nil {
					t.Fatal(err)
				}
				certificates, server.ClientCAFile = append(certificates, loaded), clientCert
			}
			defer server.Attach((&serving.Callers{Name: "apiserver", Groups: []string{"system:masters"}}).Only(hello), func() error { return nil })()
			if code, _ := get(t, clientWith(t, certificates...), start(t, server)+"/x"); code != tc.want {
				t.Errorf("code %d", code)
			}
		})
	}
	t.Run("OPR-29 a caller with a certificate of a new CA may call, and one of a former CA may not", func(t *testing.T) {
		cert, key := pair(t, "server")
		formerCert, formerKey := pair(t, "apiserver")
		newCert, newKey := pair(t, "apiserver")
		trusted := filepath.Join(t.TempDir(), "ca.crt")
		trust := func(file string) {
			content, err := os.ReadFile(file)
			if err := errors.Join(err, os.WriteFile(trusted, content, 0o600), polled.Now(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		trust(formerCert)
		server := &serving.Server{CertFile: cert, KeyFile: key, ClientCAFile: trusted}
		defer server.Attach((&serving.Callers{Name: "apiserver"}).Only(hello), func() error { return nil })()
		url := start(t, server)
		may := func(cert, key string) bool {
			loaded, err := tls.LoadX509KeyPair(cert, key)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := clientWith(t, loaded).Get(url + "/x")
			if err != nil {
				return false
			}
			return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
		}
		if former, present := may(formerCert, formerKey), may(newCert, newKey); !former || present {
			t.Errorf("before, the former one may call: %v, the new one: %v", former, present)
		}
		trust(newCert)
		if former, present := may(formerCert, formerKey), may(newCert, newKey); former || !present {
			t.Errorf("after, the former one may call: %v, the new one: %v", former, present)
		}
	})
	t.Run("GAC-1 a certificate of another CA is refused", func(t *testing.T) {
		cert, key := pair(t, "server")
		server := &serving.Server{CertFile: cert, KeyFile: key, ClientCAFile: cert}
		url := start(t, server)
		clientCert, clientKey := pair(t, "apiserver")
		loaded, err := tls.LoadX509KeyPair(clientCert, clientKey)
		if err != nil {
			t.Fatal(err)
		}
		client := clientWith(t)
		client.Transport.(*http.Transport).TLSClientConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &loaded, nil // also to a server that asks for others
		}
		if answer, err := client.Get(url + "/healthz"); err == nil {
			_ = answer.Body.Close()
			t.Error("it was accepted")
		}
	})
}
