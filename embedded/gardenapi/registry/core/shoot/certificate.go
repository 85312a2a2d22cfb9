package shoot

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// clockSkew is how far the clocks of other machines may be behind.
const clockSkew = time.Minute

// credentials are a client certificate with its key, in PEM.
type credentials struct {
	cert, key []byte
	notAfter  time.Time
}

// issue makes a client certificate. It expires after validity, or with its CA if that is earlier.
func issue(ca certificate.Authority, commonName, organization string, validity time.Duration) (*credentials, error) {
	now := time.Now().Truncate(time.Second)
	notAfter := now.Add(validity)
	if notAfter.After(ca.Cert.NotAfter) {
		notAfter = ca.Cert.NotAfter
	}
	pair, err := ca.Issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: commonName, Organization: []string{organization}},
		NotBefore:   now.Add(-clockSkew),
		NotAfter:    notAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, err
	}
	cert, key, err := pair.PEM()
	if err != nil {
		return nil, err
	}
	return &credentials{cert: cert, key: key, notAfter: notAfter}, nil
}
