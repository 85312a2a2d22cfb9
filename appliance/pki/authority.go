package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Validity of certificates. A leaf certificate or an authority is renewed when a third of its validity is left. A renewed
// authority keeps its key and subject, so every leaf stays valid.
const (
	authorityValidity = 10 * 365 * 24 * time.Hour
	leafValidity      = 365 * 24 * time.Hour
	// backdate tolerates clocks that differ.
	backdate = 5 * time.Minute
)

// authority is a certificate authority with its files <dir>/<name>.crt and .key.
type authority struct {
	certificate.Authority
	file string
}

// loadAuthority reads the authority from its files. It makes a missing authority and renews a certificate that is due.
func (p *PKI) loadAuthority(name string) (*authority, error) {
	base := filepath.Join(p.dir, name)
	key, err := p.key(name)
	if err != nil {
		return nil, err
	}
	cert, err := readCertificate(base + ".crt")
	if err != nil {
		return nil, err
	}
	if cert == nil || !publicKeysEqual(cert.PublicKey, key.Public()) || p.due(cert) {
		if cert, err = p.selfSign(name, key); err != nil {
			return nil, fmt.Errorf("make certificate authority %q: %w", name, err)
		}
		if err := writeCertificates(base+".crt", cert); err != nil {
			return nil, err
		}
	}
	return &authority{Authority: certificate.Authority{Cert: cert, Key: key}, file: base + ".crt"}, nil
}

func (p *PKI) selfSign(name string, key crypto.Signer) (*x509.Certificate, error) {
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(public)
	now := p.now()
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: filepath.Base(filepath.Dir(name)) + "-" + filepath.Base(name)},
		NotBefore: now.Add(-backdate), NotAfter: now.Add(authorityValidity),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature | x509.KeyUsageCRLSign,
		IsCA:     true, BasicConstraintsValid: true, SubjectKeyId: id[:20],
	}
	return certificate.SignSelf(template, key)
}

// due returns true if less than a third of the certificate's life is left, or if it is not valid yet. The latter was made
// when the clock of the machine was ahead.
func (p *PKI) due(cert *x509.Certificate) bool {
	now, life := p.now(), cert.NotAfter.Sub(cert.NotBefore)
	return cert.NotAfter.Sub(now) < life/3 || now.Before(cert.NotBefore)
}

func publicKeysEqual(a any, b crypto.PublicKey) bool {
	key, ok := a.(*ecdsa.PublicKey)
	return ok && key.Equal(b)
}
