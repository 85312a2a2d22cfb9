package bootstrap

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/util/connrotation"
)

// drain is how long requests with a former certificate may take. Watches are cut then, and start again.
const drain = 30 * time.Second

// transport sends requests with the current certificate.
type transport struct{ current atomic.Pointer[connections] }

type connections struct {
	http.RoundTripper
	dialer *connrotation.Dialer
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.current.Load().RoundTrip(request)
}

// use sends new requests with a certificate.
func (t *transport) use(c *credential) error {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(c.garden.CA) {
		return errors.New("the CA of the garden has no certificate in PEM format")
	}
	dialer := connrotation.NewDialer((&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext)
	made := utilnet.SetTransportDefaults(&http.Transport{
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: c.garden.ServerName, Certificates: []tls.Certificate{c.pair},
		},
		TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 25, DialContext: dialer.DialContext,
	})
	if former := t.current.Swap(&connections{made, dialer}); former != nil {
		time.AfterFunc(drain, former.dialer.CloseAll)
	}
	return nil
}
