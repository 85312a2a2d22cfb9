package peer

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// writeCertificate makes a key and a self-signed certificate for 127.0.0.1, valid for a day. Otherwise kube-apiserver
// would make an RSA key at its first start, and its time would count.
func writeCertificate(certFile, keyFile string) error {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "peer"}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate.AddHosts(template, "127.0.0.1")
	pair, err := certificate.SelfSigned(template)
	if err != nil {
		return err
	}
	cert, key, err := pair.PEM()
	if err != nil {
		return err
	}
	if err := os.WriteFile(certFile, cert, 0o600); err != nil {
		return err
	}
	return os.WriteFile(keyFile, key, 0o600)
}
