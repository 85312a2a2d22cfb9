package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	// trust is the file with all authorities that are trusted; see trust.go.
	trust string
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
	a := &authority{Authority: certificate.Authority{Cert: cert, Key: key}, file: base + ".crt", trust: base + ".crt"}
	if slices.Contains(rotating(), name) {
		return a, p.trust(a, name)
	}
	return a, nil
}

func (p *PKI) selfSign(name string, key crypto.Signer) (*x509.Certificate, error) {
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(public)
	now := p.now()
	subject, err := p.subject(name)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: subject},
		NotBefore: now.Add(-backdate), NotAfter: now.Add(authorityValidity),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature | x509.KeyUsageCRLSign,
		IsCA:     true, BasicConstraintsValid: true, SubjectKeyId: id[:20],
	}
	return certificate.SignSelf(template, key)
}

// subject is the name of an authority. That of an authority that a rotation has made ends with the name of the rotation.
func (p *PKI) subject(name string) (string, error) {
	rotation, err := rotationOf(filepath.Join(p.dir, name+".key"))
	if err != nil {
		return "", err
	}
	subject := filepath.Base(filepath.Dir(name)) + "-" + strings.TrimSuffix(filepath.Base(name), nextSuffix)
	if rotation != "" {
		subject += "-" + rotation
	}
	return subject, nil
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

// trust writes which authorities are trusted: the present one, the next one if there is one, and the former ones.
func (p *PKI) trust(a *authority, name string) error {
	all := []*x509.Certificate{a.Cert}
	next, err := p.next(name)
	if err != nil {
		return err
	}
	if next != nil {
		all = append(all, next.Cert)
	}
	former, err := p.former(name)
	if err != nil {
		return err
	}
	for _, cert := range former {
		if !slices.ContainsFunc(all, cert.Equal) {
			all = append(all, cert)
		}
	}
	a.trust = filepath.Join(p.dir, name+trustSuffix)
	return writeCertificates(a.trust, all...)
}

// next returns the authority that comes after the present one; nil if there is none.
func (p *PKI) next(name string) (*authority, error) {
	name += nextSuffix
	if _, err := os.Stat(filepath.Join(p.dir, name+".key")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return p.loadAuthority(name)
}
