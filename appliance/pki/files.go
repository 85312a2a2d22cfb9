package pki

import (
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// WriteFile replaces a file atomically, unless the file has this content already. The file gets mode 0600, its directory
// 0700.
func WriteFile(file string, content []byte) error {
	return atomicfile.Update(file, content, 0o600, 0o700)
}

// key reads a key below the directory, without its extension, and makes a missing one. A damaged key is made again, unless it is
// a lasting one.
func (p *PKI) key(name string) (crypto.Signer, error) {
	name += ".key"
	file := filepath.Join(p.dir, name)
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if err != nil && p.complete && isLasting(name) {
		return nil, lostKey(file)
	}
	if err == nil {
		key, err := certificate.ParseKey(data)
		if err == nil {
			return key, nil
		}
		if isLasting(name) {
			return nil, fmt.Errorf("%s: %w; put the file back from a backup", file, err)
		}
	}
	key, err := certificate.NewKey()
	if err != nil {
		return nil, err
	}
	text, err := certificate.EncodeKey(key)
	if err != nil {
		return nil, err
	}
	return key, WriteFile(file, text)
}

func lostKey(file string) error {
	return fmt.Errorf("%s was removed while the landscape runs; put the file back from a backup", file)
}

// readCertificate returns the first certificate of the file. It returns nil for a missing or unreadable certificate, which
// the caller replaces by a new one.
func readCertificate(file string) (*x509.Certificate, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	cert, err := certificate.Parse(data)
	if err != nil {
		return nil, nil
	}
	return cert, nil
}

func writeCertificates(file string, certs ...*x509.Certificate) error {
	return WriteFile(file, certificate.Encode(certs...))
}
