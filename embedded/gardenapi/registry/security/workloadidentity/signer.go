package workloadidentity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"k8s.io/client-go/util/keyutil"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

// Signer makes JSON web tokens of one issuer.
type Signer struct {
	issuer string
	key    crypto.Signer
	method jwt.SigningMethod
	id     string // of the key
}

// NewSigner reads the key of an issuer from a PEM file. The key must be RSA, or ECDSA with the curve P-256.
func NewSigner(issuer, keyFile string) (*Signer, error) {
	content, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(content)
	if err != nil {
		return nil, fmt.Errorf("read signing key %s: %w", keyFile, err)
	}
	signer := &Signer{issuer: issuer}
	switch key := parsed.(type) {
	case *ecdsa.PrivateKey:
		signer.key, signer.method = key, jwt.SigningMethodES256
		if key.Curve.Params().BitSize != 256 {
			return nil, fmt.Errorf("signing key %s: the curve must be P-256", keyFile)
		}
	case *rsa.PrivateKey:
		signer.key, signer.method = key, jwt.SigningMethodRS256
	default:
		return nil, fmt.Errorf("signing key %s: %T cannot sign tokens", keyFile, parsed)
	}
	public, err := x509.MarshalPKIXPublicKey(signer.key.Public())
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", keyFile, err)
	}
	sum := sha256.Sum256(public)
	signer.id = base64.RawURLEncoding.EncodeToString(sum[:])
	return signer, nil
}

// sign makes a token that is valid from now on, and returns when it expires.
func (s *Signer) sign(identity *security.WorkloadIdentity, about map[string]reference, validity time.Duration) (string, time.Time, error) {
	now := time.Now().Truncate(time.Second)
	end := now.Add(validity)
	token := jwt.NewWithClaims(s.method, jwt.MapClaims{
		"iss": s.issuer, "sub": identity.Status.Sub, "aud": identity.Spec.Audiences,
		"exp": end.Unix(), "iat": now.Unix(), "nbf": now.Unix(), "jti": rand.Text(),
		"gardener.cloud": about,
	})
	token.Header["kid"] = s.id
	signed, err := token.SignedString(s.key)
	return signed, end, err
}
