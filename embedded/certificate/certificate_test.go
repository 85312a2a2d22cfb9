package certificate_test

import (
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func authorityTemplate() *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
}

func leafTemplate(hosts ...string) *x509.Certificate {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "leaf", Organization: []string{"group"}}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate.AddHosts(template, hosts...)
	return template
}

func newAuthority(t *testing.T) certificate.Pair {
	t.Helper()
	pair, err := certificate.SelfSigned(authorityTemplate())
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func TestIssue(t *testing.T) {
	ca := newAuthority(t)
	leaf, err := ca.Authority().Issue(leafTemplate("example.org", "127.0.0.1", "::1"))
	if err != nil {
		t.Fatal(err)
	}
	if leaf.Key.Curve != elliptic.P256() {
		t.Errorf("curve of the key is %s, want P-256", leaf.Key.Curve.Params().Name)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca.Cert)
	for _, host := range []string{"example.org", "127.0.0.1", "[::1]"} {
		if _, err := leaf.Cert.Verify(x509.VerifyOptions{DNSName: host, Roots: pool}); err != nil {
			t.Errorf("certificate for %s: %v", host, err)
		}
	}
	if len(leaf.Cert.DNSNames) != 1 || len(leaf.Cert.IPAddresses) != 2 {
		t.Errorf("names %v and addresses %v are mixed up", leaf.Cert.DNSNames, leaf.Cert.IPAddresses)
	}
	other, err := ca.Authority().Issue(leafTemplate())
	if err != nil {
		t.Fatal(err)
	}
	if leaf.Cert.SerialNumber.Sign() <= 0 || leaf.Cert.SerialNumber.Cmp(other.Cert.SerialNumber) == 0 {
		t.Errorf("serial numbers are %v and %v, want different positive ones", leaf.Cert.SerialNumber, other.Cert.SerialNumber)
	}
}

func TestSignKeepsTheKey(t *testing.T) {
	key, err := certificate.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	first, err := certificate.SignSelf(authorityTemplate(), key)
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := certificate.SignSelf(authorityTemplate(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := certificate.Authority{Cert: first, Key: key}.Issue(leafTemplate())
	if err != nil {
		t.Fatal(err)
	}
	if err := leaf.Cert.CheckSignatureFrom(renewed); err != nil {
		t.Errorf("renewed authority does not accept the old certificate: %v", err)
	}
}

func TestPEM(t *testing.T) {
	pair := newAuthority(t)
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		t.Errorf("crypto/tls cannot read the pair: %v", err)
	}
	read, err := certificate.ParseAuthority(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	if !read.Cert.Equal(pair.Cert) || !pair.Key.Equal(read.Key) {
		t.Error("the pair read is not the pair written")
	}
}

func TestParseKey(t *testing.T) {
	elliptic, err := certificate.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(elliptic)
	if err != nil {
		t.Fatal(err)
	}
	for name, der := range map[string][]byte{"RSA": x509.MarshalPKCS1PrivateKey(long), "PKCS #8": pkcs8} {
		if _, err := certificate.ParseKey(pem.EncodeToMemory(&pem.Block{Type: "KEY", Bytes: der})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{"no PEM": "x", "no key": string(certificate.Encode(newAuthority(t).Cert))} {
		if _, err := certificate.ParseKey([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := certificate.Parse([]byte("x")); err == nil {
			t.Error("certificate that is not PEM: no error")
		}
	}
}

func TestTLS(t *testing.T) {
	ca := newAuthority(t)
	server, err := ca.Authority().Issue(leafTemplate("localhost"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.Cert)
	left, right := net.Pipe()
	defer left.Close()
	defer right.Close()
	go func() { _ = tls.Server(left, &tls.Config{Certificates: []tls.Certificate{server.TLS()}}).Handshake() }()
	if err := tls.Client(right, &tls.Config{RootCAs: roots, ServerName: "localhost"}).Handshake(); err != nil {
		t.Error(err)
	}
}
