// Package testpki makes the few certificates that tests of servers need: one CA for servers and clients, in files.
// For tests only.
package testpki

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// PKI is one CA for servers and clients.
type PKI struct {
	dir string
	ca  certificate.Authority
}

// New makes a CA and writes ca.crt, server.{crt,key} for hosts, admin.{crt,key} and sa.key to dir.
func New(dir string, hosts ...string) (*PKI, error) {
	template := template("testenv-ca")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	ca, err := certificate.SelfSigned(template)
	if err != nil {
		return nil, fmt.Errorf("make CA: %w", err)
	}
	p := &PKI{dir: dir, ca: ca.Authority()}
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
	for name, content := range map[string][]byte{
		"ca.crt":     certificate.Encode(ca.Cert),
		"server.crt": serverCert, "server.key": serverKey,
		"admin.crt": adminCert, "admin.key": adminKey,
		"sa.key": saKey,
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
	certificate.AddHosts(t, "127.0.0.1", "localhost")
	certificate.AddHosts(t, hosts...)
	return p.issue(t)
}

// Client returns a certificate for this user.
func (p *PKI) Client(user string, groups ...string) (cert, key []byte, err error) {
	t := template(user)
	t.Subject.Organization = groups
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return p.issue(t)
}

// Sign answers a certificate request for a client as kube-controller-manager does. The certificate is in PEM format.
func (p *PKI) Sign(request *x509.CertificateRequest, from, to time.Time) ([]byte, error) {
	cert, err := p.ca.Sign(&x509.Certificate{
		Subject: request.Subject, NotBefore: from, NotAfter: to, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, request.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("sign request of %s: %w", request.Subject.CommonName, err)
	}
	return certificate.Encode(cert), nil
}

func (p *PKI) issue(template *x509.Certificate) (cert, key []byte, err error) {
	pair, err := p.ca.Issue(template)
	if err != nil {
		return nil, nil, fmt.Errorf("make certificate of %s: %w", template.Subject.CommonName, err)
	}
	return pair.PEM()
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject:   pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Minute),
		NotAfter:  time.Now().Add(24 * time.Hour),
		KeyUsage:  x509.KeyUsageDigitalSignature,
	}
}

func newKey() ([]byte, error) {
	key, err := certificate.NewKey()
	if err != nil {
		return nil, err
	}
	return certificate.EncodeKey(key)
}
