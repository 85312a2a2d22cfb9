// Package bootstraptoken makes the bootstrap tokens with which gardenlets request their first certificate. The ID of a
// token says which seed it is for.
package bootstraptoken

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	bootstrapapi "k8s.io/cluster-bootstrap/token/api"
)

// UserPrefix followed by the ID of a bootstrap token is the user name of its bearer. Group is the group of all bearers.
const (
	UserPrefix = bootstrapapi.BootstrapUserPrefix
	Group      = bootstrapapi.BootstrapDefaultGroup
)

const (
	idLength = 6
	// secretBytes become the 16 characters that API servers require.
	secretBytes = 10
)

// ID is the ID of the token that belongs to an object: a Seed, which has no namespace, or a ManagedSeed or Gardenlet with
// the name of its seed.
func ID(namespace, name string) string {
	if namespace != "" {
		name = namespace + "--" + name
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])[:idLength]
}

// New is the Secret of a new token, for the cluster whose API server authenticates the token. The token is valid until it expires.
func New(id, description string, expires time.Time) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: SecretName(id)},
		Type:       corev1.SecretTypeBootstrapToken,
		Data: map[string][]byte{
			bootstrapapi.BootstrapTokenIDKey:               []byte(id),
			bootstrapapi.BootstrapTokenSecretKey:           []byte(newSecret()),
			bootstrapapi.BootstrapTokenDescriptionKey:      []byte(description),
			bootstrapapi.BootstrapTokenExpirationKey:       []byte(expires.UTC().Format(time.RFC3339)),
			bootstrapapi.BootstrapTokenUsageAuthentication: []byte("true"),
			bootstrapapi.BootstrapTokenUsageSigningKey:     []byte("true"),
		},
	}
}

func newSecret() string {
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random) // never returns an error
	return strings.ToLower(base32.StdEncoding.EncodeToString(random))
}

// SecretName is the name of the Secret of a token, in namespace kube-system.
func SecretName(id string) string { return bootstrapapi.BootstrapTokenSecretPrefix + id }

// Token is the token that a client sends.
func Token(secret *corev1.Secret) string {
	return string(secret.Data[bootstrapapi.BootstrapTokenIDKey]) + "." + string(secret.Data[bootstrapapi.BootstrapTokenSecretKey])
}
