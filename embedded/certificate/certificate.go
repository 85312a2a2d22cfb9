// Package certificate makes X.509 certificates with ECDSA P-256 keys. RSA keys would cost half a second of processor time each. No
// other package of this project signs certificates. The caller's template sets the content of a certificate: subject, hosts, usages
// and validity. The caller also handles files and renewal. The package imports the standard library only, and everyone may import
// it.
package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
)

// Authority signs certificates.
type Authority struct {
	Cert *x509.Certificate
	Key  crypto.Signer
}

// Pair is a certificate with its key.
type Pair struct {
	Cert *x509.Certificate
	Key  *ecdsa.PrivateKey
}

// Issue makes a key and signs a certificate for it. A template without a serial number gets a random one.
func (a Authority) Issue(template *x509.Certificate) (Pair, error) {
	key, err := NewKey()
	if err != nil {
		return Pair{}, err
	}
	cert, err := a.Sign(template, key.Public())
	return Pair{Cert: cert, Key: key}, err
}

// Sign signs a certificate for an existing key.
func (a Authority) Sign(template *x509.Certificate, key crypto.PublicKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, key, a.Key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

// SelfSigned makes a key and a certificate that this key signs.
func SelfSigned(template *x509.Certificate) (Pair, error) {
	key, err := NewKey()
	if err != nil {
		return Pair{}, err
	}
	cert, err := SignSelf(template, key)
	return Pair{Cert: cert, Key: key}, err
}

// SignSelf makes a certificate for an existing key, signed by this key.
func SignSelf(template *x509.Certificate, key crypto.Signer) (*x509.Certificate, error) {
	return Authority{Cert: template, Key: key}.Sign(template, key.Public())
}

// NewKey makes an ECDSA P-256 key.
func NewKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	return key, nil
}

// AddHosts adds DNS names and IP addresses to a template.
func AddHosts(template *x509.Certificate, hosts ...string) {
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
}

// Authority returns the pair as an authority that signs certificates.
func (p Pair) Authority() Authority { return Authority{Cert: p.Cert, Key: p.Key} }

// TLS returns the pair for a tls.Config.
func (p Pair) TLS() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{p.Cert.Raw}, PrivateKey: p.Key, Leaf: p.Cert}
}

// PEM returns the blocks CERTIFICATE and EC PRIVATE KEY.
func (p Pair) PEM() (cert, key []byte, err error) {
	key, err = EncodeKey(p.Key)
	return Encode(p.Cert), key, err
}
