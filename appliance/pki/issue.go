package pki

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Clusters whose operators Issue makes certificates for.
const (
	GardenCluster = "garden"
	SeedCluster   = "seed"
)

// Bounds of the validity of certificates for operators. The longest is a week, since nobody can revoke a single certificate.
const (
	MinValidity = 10 * time.Minute
	MaxValidity = 7 * 24 * time.Hour
)

// CheckValidity refuses a validity that is out of bounds.
func CheckValidity(validity time.Duration) error {
	if validity < MinValidity || validity > MaxValidity {
		return fmt.Errorf("expiration %s is not between %s and %s", validity, MinValidity, MaxValidity)
	}
	return nil
}

// User is the subject of a client certificate.
type User struct {
	Name   string
	Groups []string
}

// Credential is a client certificate with its key, both PEM.
type Credential struct {
	Cert, Key []byte
	Expires   time.Time
}

// Issue makes a client certificate for the garden or the embedded seed. It stores neither the certificate nor the key. It returns an
// error if the validity is out of bounds or this landscape has no such cluster.
func (p *PKI) Issue(cluster string, user User, validity time.Duration) (Credential, error) {
	if err := CheckValidity(validity); err != nil {
		return Credential{}, err
	}
	if cluster != SeedCluster && (cluster != GardenCluster || len(p.hosts.GardenAPI) == 0) {
		return Credential{}, fmt.Errorf("there are no certificates of a cluster %q here", cluster)
	}
	p.mu.Lock()
	issuer, err := p.loadAuthority(cluster + "/client-ca")
	p.mu.Unlock()
	if err != nil {
		return Credential{}, err
	}
	key, err := certificate.NewKey()
	if err != nil {
		return Credential{}, err
	}
	now := p.now()
	cert, err := issuer.Sign(&x509.Certificate{
		Subject:   pkix.Name{CommonName: user.Name, Organization: user.Groups},
		NotBefore: now.Add(-backdate), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, key.Public())
	if err != nil {
		return Credential{}, fmt.Errorf("make certificate of %s: %w", user.Name, err)
	}
	text, err := certificate.EncodeKey(key)
	if err != nil {
		return Credential{}, err
	}
	return Credential{Cert: certificate.Encode(cert), Key: text, Expires: cert.NotAfter}, nil
}
