package oidcwebhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/cert"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

const (
	answerTimeout = 30 * time.Second
	// maxAnswer is far more than discovery documents and key sets need.
	maxAnswer = 1 << 18
)

// Dial connects to the server of a provider.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// newGuarded makes the transport for one provider. An empty bundle means the machine's own authorities.
func newGuarded(bundle []byte, dial Dial) (*guarded, error) {
	var roots *x509.CertPool
	if len(bundle) > 0 {
		var err error
		if roots, err = cert.NewPoolFromBytes(bundle); err != nil {
			return nil, fmt.Errorf("spec.caBundle: %w", err)
		}
	}
	return &guarded{next: &http.Transport{
		DialContext: dial, Proxy: guardeddial.NoProxy, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 1,
	}}, nil
}

var (
	// errTooLong means that an answer is longer than maxAnswer.
	errTooLong = errors.New("the answer of the provider is too long")
	// errNotHTTPS means that a document or a redirect of a provider has a URL without TLS.
	errNotHTTPS = errors.New("the provider refers to a URL that is not https")
)

// guarded refuses what a provider must not make this process do by its documents and redirects.
type guarded struct {
	next *http.Transport
	last atomic.Pointer[error]
}

func (g *guarded) client() *http.Client { return &http.Client{Timeout: answerTimeout, Transport: g} }

// failure is the last error of a request or of an answer, nil if there was none.
func (g *guarded) failure() error {
	if last := g.last.Load(); last != nil {
		return *last
	}
	return nil
}

func (g *guarded) failed(err error) error {
	g.last.Store(&err)
	return err
}

// RoundTrip implements http.RoundTripper.
func (g *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" {
		return nil, g.failed(errNotHTTPS)
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, g.failed(err)
	}
	resp.Body = &limited{ReadCloser: resp.Body, left: maxAnswer, failed: g.failed}
	return resp, nil
}

// CloseIdleConnections is called by http.Client's method of that name.
func (g *guarded) CloseIdleConnections() { g.next.CloseIdleConnections() }

type limited struct {
	io.ReadCloser
	left   int
	failed func(error) error
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, l.failed(errTooLong)
	}
	return n, err
}
