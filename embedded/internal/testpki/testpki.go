// Package testpki makes the few certificates that tests of servers need: one CA for servers and clients, in files.
// It is not for anything that lives longer than a test.
package testpki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// PKI is one CA for servers and clients.
type PKI struct {
	dir   string
	ca    *x509.Certificate
	caKey crypto.Signer
}

// New makes a CA and writes ca.crt, server.{crt,key} for hosts, admin.{crt,key} and sa.key to dir.
func New(dir string, hosts ...string) (*PKI, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template := template("testenv-ca")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign CA: %w", err)
	}
	p := &PKI{dir: dir, caKey: key}
	if p.ca, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("parse CA: %w", err)
	}

	serverCert, serverKey, err := p.Server(hosts...)
	if err != nil {
		return nil, err
	}
	adminCert, adminKey, err := p.Client("admin", "system:masters")
	if err != nil {
		return nil, err
	}
	saKey, err := newKey()
	if err != nil {
		return nil, err
	}
	saPEM, err := keyPEM(saKey)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		"ca.crt":     certPEM(der),
		"server.crt": serverCert, "server.key": serverKey,
		"admin.crt": adminCert, "admin.key": adminKey,
		"sa.key": saPEM,
	} {
		if err := os.WriteFile(p.Path(name), content, 0o600); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Path of a file that New wrote.
func (p *PKI) Path(name string) string { return filepath.Join(p.dir, name) }

// Server returns a certificate for these addresses and DNS names, 127.0.0.1 and localhost.
func (p *PKI) Server(hosts ...string) (cert, key []byte, err error) {
	t := template("server")
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	t.DNSNames = []string{"localhost"}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, host)
		}
	}
	return p.sign(t)
}

// Client returns a certificate for this user.
func (p *PKI) Client(user string, groups ...string) (cert, key []byte, err error) {
	t := template(user)
	t.Subject.Organization = groups
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return p.sign(t)
}

func (p *PKI) sign(template *x509.Certificate) (cert, key []byte, err error) {
	signer, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, p.ca, signer.Public(), p.caKey)
	if err != nil {
		return nil, nil, fmt.Errorf("sign certificate of %s: %w", template.Subject.CommonName, err)
	}
	if key, err = keyPEM(signer); err != nil {
		return nil, nil, err
	}
	return certPEM(der), key, nil
}

func template(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62)) // never fails
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return key, nil
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
