package pki

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// WriteFile replaces a file in one step, so that a crash leaves the old or the new content, never half of it.
// The file gets mode 0600.
func WriteFile(file string, content []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", file, err), os.Remove(temp.Name()))
	}
	return nil
}

func loadOrCreateKey(file string) (crypto.Signer, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
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
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	key, err := certificate.ParseKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete the file to have a new one made", file, err)
	}
	return key, nil
}

// readCertificate returns the first certificate of the file; nil when there is none or it cannot be parsed, since
// certificates are simply made anew.
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
