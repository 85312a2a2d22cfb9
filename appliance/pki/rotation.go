package pki

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// Rotation replaces keys of the garden while the landscape runs. A rotation has a name, which the key that it makes has, too. So each
// of these methods can be interrupted at any point, and called again for the same rotation.
type Rotation struct {
	PKI *PKI
	// Note is called with the file of a lasting key and the fingerprints that the key may have from now on: before it changes with both,
	// and then with the new one. Without a fingerprint nobody needs the key any longer.
	Note func(file string, fingerprints ...string) error
}

// RotationName is the name of the rotation that began at this time.
func RotationName(began time.Time) string { return began.UTC().Format("20060102150405") }

const (
	formerAccountsFile = "garden/service-account.former"
	typePublicKey      = "PUBLIC KEY"
	// encryptionKeyName begins the names of encryption keys that a rotation has made.
	encryptionKeyName = "key-"
)

// NewServiceAccountKey makes the key that signs tokens of service accounts in the garden. Tokens of the present key stay good.
func (r Rotation) NewServiceAccountKey(rotation string) error {
	r.PKI.mu.Lock()
	defer r.PKI.mu.Unlock()
	file := filepath.Join(r.PKI.dir, serviceAccountFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("rotate the key of service accounts: %w", err)
	}
	present, err := certificate.ParseKey(text)
	if err != nil {
		return fmt.Errorf("rotate the key of service accounts: %s: %w", file, err)
	}
	before, err := fingerprint(present)
	if err != nil {
		return err
	}
	if block, _ := pem.Decode(text); block != nil && block.Headers[rotationHeader] == rotation {
		return r.Note(serviceAccountFile, before)
	}
	if err := r.keepFormer(present); err != nil {
		return err
	}
	key, encoded, err := newKeyOf(rotation)
	if err != nil {
		return err
	}
	after, err := fingerprint(key)
	if err != nil {
		return err
	}
	if err := r.Note(serviceAccountFile, before, after); err != nil {
		return err
	}
	if err := WriteFile(file, encoded); err != nil {
		return err
	}
	return r.Note(serviceAccountFile, after)
}

// newKeyOf makes a key with the name of a rotation in its text.
func newKeyOf(rotation string) (key crypto.Signer, text []byte, err error) {
	made, err := certificate.NewKey()
	if err != nil {
		return nil, nil, err
	}
	encoded, err := certificate.EncodeKey(made)
	if err != nil {
		return nil, nil, err
	}
	block, _ := pem.Decode(encoded)
	block.Headers = map[string]string{rotationHeader: rotation}
	return made, pem.EncodeToMemory(block), nil
}

// keepFormer adds the public key to those whose tokens are good.
func (r Rotation) keepFormer(key crypto.Signer) error {
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	file := filepath.Join(r.PKI.dir, formerAccountsFile)
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep the key of service accounts: %w", err)
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if slices.Equal(block.Bytes, public) {
			return nil
		}
	}
	return WriteFile(file, append(text, pem.EncodeToMemory(&pem.Block{Type: typePublicKey, Bytes: public})...))
}

// DropServiceAccountKeys leaves only the key that signs.
func (r Rotation) DropServiceAccountKeys() error {
	r.PKI.mu.Lock()
	defer r.PKI.mu.Unlock()
	err := os.Remove(filepath.Join(r.PKI.dir, formerAccountsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop former keys of service accounts: %w", err)
	}
	return nil
}

// NewEncryptionKey makes the key that encrypts objects of the garden. What the present ones have encrypted can be read.
func (r Rotation) NewEncryptionKey(rotation string) error {
	name := encryptionKeyName + rotation
	return r.changeEncryption(func(keys []encryptionKey) ([]encryptionKey, error) {
		if keys[0].Name == name {
			return keys, nil
		}
		secret := make([]byte, encryptionKeySize)
		if _, err := rand.Read(secret); err != nil {
			return nil, fmt.Errorf("make encryption key: %w", err)
		}
		return append([]encryptionKey{{Name: name, Secret: base64.StdEncoding.EncodeToString(secret)}}, keys...), nil
	})
}

// EncryptionKey is the name of the key that encrypts. What it has encrypted has the name in etcd.
func (r Rotation) EncryptionKey() (string, error) {
	r.PKI.mu.Lock()
	defer r.PKI.mu.Unlock()
	keys, err := readEncryptionKeys(filepath.Join(r.PKI.dir, encryptionFile))
	if err != nil {
		return "", err
	}
	return keys[0].Name, nil
}

// DropEncryptionKeys leaves only the key that encrypts. Call it when no object needs another one.
func (r Rotation) DropEncryptionKeys() error {
	return r.changeEncryption(func(keys []encryptionKey) ([]encryptionKey, error) { return keys[:1], nil })
}

func (r Rotation) changeEncryption(change func([]encryptionKey) ([]encryptionKey, error)) error {
	r.PKI.mu.Lock()
	defer r.PKI.mu.Unlock()
	file := filepath.Join(r.PKI.dir, encryptionFile)
	keys, err := readEncryptionKeys(file)
	if err != nil {
		return err
	}
	before := fingerprintOf(encryptionIdentity(keys))
	next, err := change(keys)
	if err != nil {
		return err
	}
	after := fingerprintOf(encryptionIdentity(next))
	if before != after {
		if err := r.Note(encryptionFile, before, after); err != nil {
			return err
		}
		if err := writeEncryption(file, next); err != nil {
			return err
		}
	}
	return r.Note(encryptionFile, after)
}

func fingerprint(key crypto.Signer) (string, error) {
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	return fingerprintOf(public), err
}
