package integration

import (
	"context"
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

var (
	// healthPort is where the gardenlet serves its health.
	healthPort int
	// credentials are the gardenlet's certificate.
	credentials = newPretended()
)

// pretended are credentials that nobody uses.
type pretended struct {
	mu      sync.Mutex
	expires time.Time
	renewed int
	err     error
}

func newPretended() *pretended { return &pretended{expires: someEnd()} }

func someEnd() time.Time {
	return time.Now().Add(time.Hour + rand.N(1000*time.Second)).Truncate(time.Second)
}

// Expires implements seed.Credentials.
func (p *pretended) Expires() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expires
}

// Secrets implements gardenlet.Credentials.
func (p *pretended) Secrets() []corev1.SecretReference {
	return []corev1.SecretReference{{Namespace: "garden", Name: "pretended"}}
}

// BootstrapAgain implements gardenlet.Credentials.
func (p *pretended) BootstrapAgain(context.Context) error { return nil }

// Renew implements seed.Credentials.
func (p *pretended) Renew(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.expires, p.renewed = someEnd(), p.renewed+1
	}
	return p.err
}

// Start implements manager.Runnable.
func (p *pretended) Start(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// fail makes renewals fail, or succeed again without an error.
func (p *pretended) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
}

func (p *pretended) renewals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.renewed
}

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
	t.Run("API-9 GLT-3 the status says when the client certificate expires", func(t *testing.T) {
		eventually(t, "expiration", expiresAt(credentials.Expires()))
	})
	t.Run("API-9 GLT-4 the status follows the renewal of the certificate", func(t *testing.T) {
		if err := credentials.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "expiration", expiresAt(credentials.Expires()))
	})
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
