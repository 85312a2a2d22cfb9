package secretsmanager

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
	"time"
)

// Usage tells what a certificate may be used for.
type Usage string

const (
	CA           Usage = "ca"
	Server       Usage = "server"
	Client       Usage = "client"
	ServerClient Usage = "both"
)

const (
	// caValidity and leafValidity are Gardener's: ten years each, leafs are usually given a shorter one.
	caValidity   = 10 * 365 * 24 * time.Hour
	leafValidity = 10 * 365 * 24 * time.Hour
	// clockSkew allows for verifiers whose clock is behind.
	clockSkew = time.Minute
)

// Certificate describes a certificate authority or a certificate signed by one, with an ECDSA P-256 key.
// Data: ca.crt and ca.key, or tls.crt, tls.key and, unless OmitCA, ca.crt.
type Certificate struct {
	Name         string
	CommonName   string
	Organization []string
	DNSNames     []string
	IPs          []net.IP
	Usage        Usage
	// Validity defaults to ten years.
	Validity time.Duration
	OmitCA   bool
}

func (c Certificate) name() string { return c.Name }

func (c Certificate) generate(in input) (map[string][]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate key of certificate %q: %w", c.Name, err)
	}
	template, err := c.template(in.now)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	if c.Usage == CA {
		certificate, err := sign(template, template, key.Public(), key)
		if err != nil {
			return nil, fmt.Errorf("sign CA %q: %w", c.Name, err)
		}
		return map[string][]byte{KeyCACert: certificate, KeyCAKey: keyPEM}, nil
	}
	if in.ca == nil {
		return nil, fmt.Errorf("certificate %q needs a CA to sign it", c.Name)
	}
	issuer, issuerKey, err := parseCA(in.ca)
	if err != nil {
		return nil, fmt.Errorf("read CA of certificate %q: %w", c.Name, err)
	}
	certificate, err := sign(template, issuer, key.Public(), issuerKey)
	if err != nil {
		return nil, fmt.Errorf("sign certificate %q: %w", c.Name, err)
	}
	data := map[string][]byte{KeyCert: certificate, KeyPrivateKey: keyPEM}
	if !c.OmitCA {
		data[KeyCACert] = in.ca[KeyCACert]
	}
	return data, nil
}

func (c Certificate) bundle(current, old map[string][]byte) map[string][]byte {
	if c.Usage != CA {
		return nil
	}
	return map[string][]byte{KeyBundle: joinPEM(current[KeyCACert], old[KeyCACert])}
}

func (c Certificate) template(now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return nil, fmt.Errorf("generate serial number of certificate %q: %w", c.Name, err)
	}
	validity := c.Validity
	if validity == 0 && c.Usage == CA {
		validity = caValidity
	} else if validity == 0 {
		validity = leafValidity
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: c.CommonName, Organization: c.Organization},
		DNSNames:     c.DNSNames,
		IPAddresses:  c.IPs,
		NotBefore:    now.Add(-clockSkew),
		NotAfter:     now.Add(validity),
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
	}
	template.BasicConstraintsValid = true
	switch c.Usage {
	case CA:
		template.IsCA = true
		template.KeyUsage |= x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	case Server:
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	case Client:
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	case ServerClient:
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	default:
		return nil, fmt.Errorf("certificate %q has the unknown usage %q", c.Name, c.Usage)
	}
	return template, nil
}

func sign(template, issuer *x509.Certificate, public crypto.PublicKey, issuerKey crypto.Signer) ([]byte, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, public, issuerKey)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

func parseCA(data map[string][]byte) (*x509.Certificate, crypto.Signer, error) {
	certificate, err := parseCertificate(data[KeyCACert])
	if err != nil {
		return nil, nil, err
	}
	block, _ := pem.Decode(data[KeyCAKey])
	if block == nil {
		return nil, nil, fmt.Errorf("%s holds no PEM block", KeyCAKey)
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return certificate, key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return certificate, key, nil // a CA brought in from elsewhere
	}
	return nil, nil, fmt.Errorf("%s holds neither an EC nor an RSA key", KeyCAKey)
}

func parseCertificate(raw []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("certificate holds no PEM block")
	}
	return x509.ParseCertificate(block.Bytes)
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
