package pki

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Files of an authority that can be rotated, beside <name>.key and <name>.crt: <name>.next.key and <name>.next.crt are those of the
// authority that comes after it, <name>.former has certificates of those before it, and <name>.trust has all certificates that are
// trusted now.
const (
	nextSuffix   = ".next"
	formerSuffix = ".former"
	trustSuffix  = ".trust"
)

// rotating are the authorities that can be rotated.
func rotating() []string { return append(clientAuthorities(), serverAuthority) }

// clientAuthorities sign what API servers of the garden verify. These learn of the next one at once, so that it can sign.
func clientAuthorities() []string { return []string{clientAuthority, "garden/front-proxy-ca"} }

const (
	// clientAuthority signs client certificates of the garden.
	clientAuthority = "garden/client-ca"
	// serverAuthority signs what clients everywhere verify. The next one signs when all of them have it, which users have to say.
	serverAuthority = "garden/ca"
)

// former returns the certificates of authorities that sign no more and are trusted.
func (p *PKI) former(name string) (certs []*x509.Certificate, err error) {
	file := filepath.Join(p.dir, name+formerSuffix)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read former authorities: %w", err)
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, damagedFormer(file)
		}
		certs = append(certs, cert)
	}
	if len(certs) == 0 {
		return nil, damagedFormer(file)
	}
	return certs, nil
}

func damagedFormer(file string) error {
	return fmt.Errorf("%s has no certificates of former authorities; put the file back from a backup, or remove it, so that what they have signed is refused", file)
}

// keepFormerAuthority trusts an authority on, which will sign no more.
func (p *PKI) keepFormerAuthority(name string, cert *x509.Certificate) error {
	certs, err := p.former(name)
	if err != nil || slices.ContainsFunc(certs, cert.Equal) {
		return err
	}
	return WriteFile(filepath.Join(p.dir, name+formerSuffix), certificate.Encode(append(certs, cert)...))
}
