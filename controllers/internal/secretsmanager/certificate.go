package secretsmanager

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Usage says what a certificate may be used for.
type Usage string

const (
	CA           Usage = "ca"
	Server       Usage = "server"
	Client       Usage = "client"
	ServerClient Usage = "both"
)

const (
	// caValidity and leafValidity are those of Gardener: ten years each. Leaf certificates usually get a shorter one.
	caValidity   = 10 * 365 * 24 * time.Hour
	leafValidity = 10 * 365 * 24 * time.Hour
	// clockSkew allows for verifiers with a slow clock.
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
	template, err := c.template(in.now)
	if err != nil {
		return nil, err
	}
	if c.Usage == CA {
		return c.generateCA(template)
	}
	if in.ca == nil {
		return nil, fmt.Errorf("certificate %q needs a CA to sign it", c.Name)
	}
	issuer, err := certificate.ParseAuthority(in.ca[KeyCACert], in.ca[KeyCAKey])
	if err != nil {
		return nil, fmt.Errorf("read CA of certificate %q: %w", c.Name, err)
	}
	pair, err := issuer.Issue(template)
	if err != nil {
		return nil, fmt.Errorf("make certificate %q: %w", c.Name, err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		return nil, fmt.Errorf("make certificate %q: %w", c.Name, err)
	}
	data := map[string][]byte{KeyCert: cert, KeyPrivateKey: key}
	if !c.OmitCA {
		data[KeyCACert] = in.ca[KeyCACert]
	}
	return data, nil
}

func (c Certificate) generateCA(template *x509.Certificate) (map[string][]byte, error) {
	pair, err := certificate.SelfSigned(template)
	if err != nil {
		return nil, fmt.Errorf("make CA %q: %w", c.Name, err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		return nil, fmt.Errorf("make CA %q: %w", c.Name, err)
	}
	return map[string][]byte{KeyCACert: cert, KeyCAKey: key}, nil
}

func (c Certificate) bundle(current, old map[string][]byte) map[string][]byte {
	if c.Usage != CA {
		return nil
	}
	return map[string][]byte{KeyBundle: joinPEM(current[KeyCACert], old[KeyCACert])}
}

func (c Certificate) template(now time.Time) (*x509.Certificate, error) {
	validity := c.Validity
	if validity == 0 && c.Usage == CA {
		validity = caValidity
	} else if validity == 0 {
		validity = leafValidity
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: c.CommonName, Organization: c.Organization},
		DNSNames:    c.DNSNames,
		IPAddresses: c.IPs,
		NotBefore:   now.Add(-clockSkew),
		NotAfter:    now.Add(validity),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
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
