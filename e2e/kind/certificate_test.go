package kind

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// pair is a self-signed certificate and its key, both PEM.
type pair struct{ cert, key string }

func newCertificate(t *testing.T, name string) pair {
	t.Helper()
	made, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := made.PEM()
	if err != nil {
		t.Fatal(err)
	}
	return pair{cert: string(cert), key: string(key)}
}
