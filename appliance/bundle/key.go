package bundle

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// PublicExtension is that of the file beside a key which has its public part.
const PublicExtension = ".pub"

// OpenKey reads a key for signatures. If the file does not exist, it makes a key; made reports that. The public part is beside it.
func OpenKey(file string) (key ed25519.PrivateKey, made bool, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = makeKey(file)
		return key, true, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("read key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, false, fmt.Errorf("%s is no key: it has no PEM block", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, false, fmt.Errorf("%s is no private key in PKCS #8", file) // the error might quote the key
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, false, fmt.Errorf("%s has a key of another kind than Ed25519", file)
	}
	return key, false, nil
}

func makeKey(file string) (ed25519.PrivateKey, error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	visible, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	err = errors.Join(
		atomicfile.Write(file+PublicExtension, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: visible}), 0o644),
		atomicfile.Write(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
	)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return key, nil
}

// ReadPublicKey reads the public part of a key.
func ReadPublicKey(file string) (ed25519.PublicKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, fmt.Errorf("%s is no public key as PEM; it is in the file with the extension %s beside the key", file, PublicExtension)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s is no public key: %w", file, err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%s has a key of another kind than Ed25519", file)
	}
	return key, nil
}

// Fingerprint is the short form of a public key for people.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// signature is the content of the file with the signature.
type signature struct {
	Key       []byte `json:"key"`
	Signature []byte `json:"signature"`
}

// purpose is signed together with the list, so that a signature cannot be that of something else.
const purpose = "gardener bundle\n"

func sign(key ed25519.PrivateKey, list []byte) ([]byte, error) {
	text, err := json.Marshal(signature{Key: key.Public().(ed25519.PublicKey), Signature: ed25519.Sign(key, append([]byte(purpose), list...))})
	return append(text, '\n'), err
}

// verifySignature returns the key that signed the list. It must be the expected one, unless that is nil.
func verifySignature(list, text []byte, expected ed25519.PublicKey) (ed25519.PublicKey, error) {
	var s signature
	if err := json.Unmarshal(text, &s); err != nil || len(s.Key) != ed25519.PublicKeySize {
		return nil, damaged("%s is no signature", signatureFile)
	}
	key := ed25519.PublicKey(s.Key)
	if !ed25519.Verify(key, append([]byte(purpose), list...), s.Signature) {
		return nil, damaged("the signature is not that of the list of files")
	}
	if again, err := json.Marshal(s); err != nil || string(again)+"\n" != string(text) {
		return nil, damaged("%s is not as it was written", signatureFile)
	}
	if expected != nil && !key.Equal(expected) {
		return nil, fmt.Errorf("%w: it is signed by %s, not by %s", ErrForeign, Fingerprint(key), Fingerprint(expected))
	}
	return key, nil
}
