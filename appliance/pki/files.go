package pki

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// WriteFile replaces a file atomically, unless the file has this content already. The file gets mode 0600, its directory
// 0700.
func WriteFile(file string, content []byte) error {
	return atomicfile.Update(file, content, 0o600, 0o700)
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
