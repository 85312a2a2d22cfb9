package pki

import (
	"crypto"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// rotationHeader of a PEM block has the name of the rotation that made the key.
const rotationHeader = "Rotation"

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

// rotationOf is the name of the rotation that made the key in a file. It is empty for the first key.
func rotationOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return "", fmt.Errorf("%s has no key in PEM format; put the file back from a backup", file)
	}
	return block.Headers[rotationHeader], nil
}
