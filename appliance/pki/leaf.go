package pki

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// leaf describes a certificate. Without hosts it is a client certificate only.
type leaf struct {
	name   string // file below the PKI directory, without extension
	issuer *authority
	user   string
	groups []string
	hosts  []string // DNS names and IP addresses
	peer   bool     // server certificate that is used as client, too (etcd)
}

// ensure makes the certificate if it does not exist, no longer matches its description, or is due for renewal.
func (p *PKI) ensure(l leaf) (Pair, error) {
	base := filepath.Join(p.dir, l.name)
	pair := Pair{Cert: base + ".crt", Key: base + ".key"}
	key, err := p.key(l.name)
	if err != nil {
		return pair, err
	}
	want := p.template(l)
	have, err := readCertificate(pair.Cert)
	if err != nil {
		return pair, err
	}
	if have != nil && !p.due(have) && publicKeysEqual(have.PublicKey, key.Public()) &&
		have.CheckSignatureFrom(l.issuer.Cert) == nil && sameUse(have, want) {
		return pair, nil
	}
	cert, err := l.issuer.Sign(want, key.Public())
	if err != nil {
		return pair, fmt.Errorf("make certificate %q: %w", l.name, err)
	}
	return pair, writeCertificates(pair.Cert, cert)
}

func (p *PKI) template(l leaf) *x509.Certificate {
	now := p.now()
	groups := slices.Clone(l.groups)
	slices.Sort(groups)
	cert := &x509.Certificate{
		Subject:   pkix.Name{CommonName: l.user, Organization: groups},
		NotBefore: now.Add(-backdate), NotAfter: now.Add(leafValidity), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	certificate.AddHosts(cert, l.hosts...)
	if len(l.hosts) > 0 {
		cert.ExtKeyUsage = append(cert.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	if len(l.hosts) == 0 || l.peer {
		cert.ExtKeyUsage = append(cert.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	return cert
}

func sameUse(have, want *x509.Certificate) bool {
	sameIPs := slices.EqualFunc(have.IPAddresses, want.IPAddresses, func(a, b net.IP) bool { return a.Equal(b) })
	return sameIPs && have.Subject.CommonName == want.Subject.CommonName &&
		slices.Equal(have.Subject.Organization, want.Subject.Organization) &&
		slices.Equal(have.DNSNames, want.DNSNames) && reflect.DeepEqual(have.ExtKeyUsage, want.ExtKeyUsage)
}
