package integration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

var (
	// healthPort is where the gardenlet serves its health.
	healthPort int
	// clientCertificate is the file with the gardenlet's certificate.
	clientCertificate string
)

func TestHealth(t *testing.T) {
	t.Run("GLT-12 while the lease is renewed the gardenlet is healthy", func(t *testing.T) { eventually(t, "health", healthIs(200)) })
}

func TestClientCertificate(t *testing.T) {
	expiresAt := func(want time.Time) func(context.Context) error {
		return func(ctx context.Context) error {
			seed, err := get(ctx, theSeed())
			if err != nil {
				return err
			}
			if got := seed.Status.ClientCertificateExpirationTimestamp; got == nil || !got.Time.Equal(want) {
				return fmt.Errorf("certificate ends at %v, want %v", got, want)
			}
			return nil
		}
	}
	for _, name := range []string{"API-9 the status says when the client certificate expires", "API-9 the status follows the renewal of the certificate"} {
		t.Run(name, func(t *testing.T) {
			end, err := writeCertificate(clientCertificate)
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "expiration", expiresAt(end))
		})
	}
}

func healthIs(status int) func(context.Context) error {
	insecure := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/healthz", healthPort), nil)
		if err != nil {
			return err
		}
		response, err := insecure.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != status {
			return fmt.Errorf("health is %d instead of %d", response.StatusCode, status)
		}
		return nil
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// certificateFile makes a file of its own for this run; its directory goes with the tests.
func certificateFile() (string, error) {
	dir, err := os.MkdirTemp("", "gardenlet")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "gardenlet.crt")
	_, err = writeCertificate(file)
	return file, err
}

// writeCertificate replaces the file by a new certificate and returns when it expires.
func writeCertificate(file string) (time.Time, error) {
	end := time.Now().Add(time.Hour + rand.N(1000*time.Second)).Truncate(time.Second)
	pair, err := certificate.SelfSigned(&x509.Certificate{NotBefore: time.Now(), NotAfter: end})
	if err != nil {
		return time.Time{}, err
	}
	return end, atomicfile.Write(file, certificate.Encode(pair.Cert), 0o600)
}
