package healthz

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// validity is longer than any component runs; clients do not verify the certificate anyway.
const validity = 10 * 365 * 24 * time.Hour

// selfSigned makes a certificate for clients that do not verify it, such as kubelets for their probes.
func selfSigned(name, host string) (*tls.Certificate, error) {
	now := time.Now()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost", name},
		NotBefore: now.Add(-time.Minute), NotAfter: now.Add(validity), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	}
	pair, err := certificate.SelfSigned(template)
	if err != nil {
		return nil, fmt.Errorf("make serving certificate of the %s: %w", name, err)
	}
	serving := pair.TLS()
	return &serving, nil
}
