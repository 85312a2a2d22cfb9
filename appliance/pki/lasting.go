package pki

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// podKey is the file of the key for signatures of pods, below the directory of a PKI.
const podKey = "seed/pods.key"

const serviceAccountFile = "garden/service-account.key"

// LastingKey is a key that cannot be made again: something outside of the directory of the PKI depends on it.
type LastingKey struct {
	// File is below the directory of the PKI.
	File string
	// Without says what is lost without the key.
	Without string

	public func(content []byte) ([]byte, error) // what identifies the key
}

// LastingKeys are those of all clusters that a process may have. All other keys and all certificates are made again by Ensure.
func LastingKeys() []LastingKey {
	return []LastingKey{
		{"garden/ca.key", "clients of the garden no longer trust it", publicKey},
		{serverAuthority + nextSuffix + ".key", "the rotation of the garden's authorities cannot be completed", publicKey}, // clients trust it already
		{"garden/client-ca.key", "the garden refuses all client certificates that were issued", publicKey},
		{"garden/front-proxy-ca.key", "aggregated API servers refuse the garden", publicKey},
		{serviceAccountFile, "all tokens of service accounts in the garden are void", publicKey},
		{encryptionFile, "Secrets, ShootStates and other encrypted objects of the garden cannot be read", encryptionKeys},
		{"garden/workload-identity.key", "systems outside of the landscape refuse the tokens of WorkloadIdentities", publicKey},
		{"seed/ca.key", "clients of the seed no longer trust it", publicKey},
		{"seed/client-ca.key", "the seed refuses all client certificates that were issued", publicKey},
		{"seed/front-proxy-ca.key", "aggregated API servers refuse the seed", publicKey},
		{"seed/service-account.key", "all tokens of service accounts in the seed are void", publicKey},
		{podKey, "the node of the seed stops the pods of all shoots", signingKey},
	}
}

func isLasting(file string) bool {
	for _, key := range LastingKeys() {
		if key.File == file {
			return true
		}
	}
	return false
}

// Fingerprint identifies the key in the directory of a PKI without telling it. A missing key is fs.ErrNotExist.
func (k LastingKey) Fingerprint(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, k.File))
	if err != nil {
		return "", err
	}
	public, err := k.public(content)
	if err != nil {
		return "", fmt.Errorf("%s: %w", k.File, err)
	}
	return fingerprintOf(public), nil
}

func publicKey(content []byte) ([]byte, error) {
	key, err := certificate.ParseKey(content)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKIXPublicKey(key.Public())
}

// encryptionKeys are the keys of an encryption configuration, in the order in which they are tried.
func encryptionKeys(content []byte) ([]byte, error) {
	keys, err := parseEncryptionKeys(content)
	if err != nil {
		return nil, err
	}
	return encryptionIdentity(keys), nil
}

// signingKey is the content as a whole: its hash does not tell the key, which is random.
func signingKey(content []byte) ([]byte, error) {
	if _, err := podsignature.ParseKey(content); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(content), nil
}

func fingerprintOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
