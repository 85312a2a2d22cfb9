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
	"time"

	"k8s.io/client-go/util/cert"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

const (
	answerTimeout = 30 * time.Second
	// maxAnswer is far more than discovery documents and key sets need.
	maxAnswer = 1 << 20
)

// Dial connects to the server of a provider.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// newClient makes the client for one provider. An empty bundle means the machine's own authorities.
func newClient(bundle []byte, dial Dial) (*http.Client, error) {
	var roots *x509.CertPool
	if len(bundle) > 0 {
		var err error
		if roots, err = cert.NewPoolFromBytes(bundle); err != nil {
			return nil, fmt.Errorf("spec.caBundle: %w", err)
		}
	}
	return &http.Client{Timeout: answerTimeout, Transport: guarded{&http.Transport{
		DialContext: dial, Proxy: guardeddial.NoProxy, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second, MaxIdleConnsPerHost: 1,
	}}}, nil
}

// guarded refuses what a provider must not make this process do by its documents and redirects.
type guarded struct{ next *http.Transport }

// RoundTrip implements http.RoundTripper.
func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" {
		return nil, fmt.Errorf("the provider refers to %s, which is not https", req.URL.Redacted())
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &limited{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

// CloseIdleConnections is called by http.Client's method of that name.
func (g guarded) CloseIdleConnections() { g.next.CloseIdleConnections() }

// errTooLong means that an answer is longer than maxAnswer.
var errTooLong = errors.New("the answer of the provider is too long")

type limited struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errTooLong
	}
	return n, err
}
